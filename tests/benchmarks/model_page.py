"""The page of a face model in Chromium with software rendering: how many frames a second its sliders give."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.ndimage import zoom

from browser import chrome
from shapedp.releases.kinds.model import shown
from shapedp.releases.viewer.view import read_asset

CURVES, SAMPLES = 64, 240  # as released
MOVES = (
    "const done = arguments[arguments.length - 1], slider = document.getElementById('mode-1'), frames = arguments[0];"
    "const gl = viewers[0].renderer.getContext(), pixel = new Uint8Array(4); let drawn = 0, start = 0;"
    "function step() {"
    "  if (drawn === 2) start = performance.now();"  # shaders are made, buffers filled
    "  if (drawn === frames + 2) return done(1000 * frames / (performance.now() - start));"
    "  slider.value = 3 * Math.sin(drawn++ / 5); slider.dispatchEvent(new Event('input', {bubbles: true}));"
    "  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);"  # the frame is done when this returns
    "  requestAnimationFrame(step);"  # when it is on the screen
    "} step();"
)


def rows(model, frames):
    """Rows of the bench, of a surface.Released of faces; none where there is no Chromium."""
    if chrome.missing():
        return
    with TemporaryDirectory() as folder, chrome.browser(Path(folder) / "profile") as driver:
        page = Path(folder) / "page.html"
        page.write_text(written(fine(model)), encoding="utf-8")
        driver.set_script_timeout(120)
        driver.get(page.as_uri())
        yield "page", "frames_per_s", float(driver.execute_async_script(MOVES, frames)), "frames/s"


def fine(model):
    """The model on as many points as releases have, every mode shown."""
    j, _, m = model.reference.shape

    def finer(fields):
        ones = [1] * (np.ndim(fields) - 3)
        along = zoom(fields, (*ones, 1, 1, SAMPLES / m), order=1, mode="grid-wrap", grid_mode=True)
        return zoom(along, (*ones, CURVES / j, 1, 1), order=1, mode="nearest", grid_mode=True)

    shown = {name: finer(getattr(model, name)) for name in ("reference", "effects", "modes")}
    pairs = np.shape(model.noise_parts)[:2]
    parts = dict.fromkeys(("noise_parts", "second_parts", "chance_parts"), np.ones((*pairs, CURVES, SAMPLES, 3, 3)))
    unit = parts | {"residual": np.ones((CURVES, SAMPLES, 3, 3))}
    return replace(model, **shown, **unit, radii=np.arange(1, CURVES + 1) / CURVES, shown=len(model.modes))


def written(model):
    """HTML of the viewer with its sliders, as on the page of a release."""
    view = shown.view_face((model, {}), b"")
    scripts = "\n".join(f"<script>{one}</script>" for one in view.scripts)
    return (
        f'<!doctype html><html lang="en"><head><style>{read_asset("page.css")}</style></head><body>{view.section}'
        f'<script type="application/json" id="release-data">{json.dumps(view.data)}</script>{scripts}</body></html>'
    )
