"""What the registration does: one face over the template before and after, and the energies of all faces."""

import numpy as np

from shapedp.figures import panels, render, style
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import srnf

SIZE = (700, 860)  # pixels of one rendered picture
RADII = np.arange(1, 11) / 10  # of the curves that are drawn
SHARE = 0.98  # of the energy densities before registration that the colours span
COLOURS = {"template": style.COLOURS["black"], "face": style.COLOURS["vermilion"]}


def registration(template, before, after, scale, energies, caption):
    """A Figure: energy density before and after, curves over the template's, energies of all faces.

    template, before, after : surfaces (R, T, 3) of unit area on one grid; scale : mm of their unit
    energies : (n, 2) before and after
    """
    density = [_density(template, one) for one in (before, after)]
    most = float(np.quantile(density[0], SHARE))
    camera = render.fitted_camera([scale * one.reshape(-1, 3) for one in (template, before, after)], "front", SIZE)
    with style.applied():
        made = style.figure("page", 5.4, caption)
        shown, drawn = made.subplots(2, 3, height_ratios=(1.15, 1))
        overlay = render.Overlay(panels.rings(scale * template, RADII), width=1.4)
        panels.show(shown[0], panels.whole(scale * template), camera, "template", overlay=overlay)
        for i, (words, f) in enumerate({"before": before, "after": after}.items(), start=1):
            title = f"{words}: energy {polar.polar_grid(*f.shape[:2]).integral(density[i - 1]):.3f}"
            colours = panels.heat(curve_mesh.at_vertices(density[i - 1]), most)
            panels.show(shown[i], panels.whole(scale * f), camera, title, colours=colours)
            _curves(drawn[i], scale * template, scale * f, words)
        panels.heat_bar(made, shown[2], most, "energy density (1)")
        named = drawn[2].legend(loc="upper left", bbox_to_anchor=(1.02, 1), fontsize=7, borderaxespad=0, handlelength=1)
        named.set_in_layout(False)  # it stands below the bar of colours, where there is room
        _energies(drawn[0], energies)
    return made


def _density(template, f):
    """(R, T) |q1 - q2|^2, whose integral over the disk is the energy."""
    grid = polar_grid(*f.shape[:2])
    q1, q2 = (srnf.srnf(srnf.normals(one, grid)) for one in (template, f))
    return np.sum((q1 - q2) ** 2, axis=-1)


def turned(f, gamma):
    """The surface f (R, T, 3) after the in-plane rotation of the disk that is nearest to gamma (R, T, 2).

    f(r, theta + a), a the argument of the integral of gamma times the conjugate of the identity; by Fourier series.
    """
    rings, angles = f.shape[:2]
    r, theta = polar.radii(rings)[:, None], 2 * np.pi * np.arange(angles) / angles
    weights = polar.polar_grid(rings, angles).weights[:, None]
    a = np.angle(np.sum(weights * (gamma[..., 0] + 1j * gamma[..., 1]) * r * np.exp(-1j * theta)))
    waves = np.fft.rfft(f, axis=1)
    return np.fft.irfft(waves * np.exp(1j * a * np.arange(waves.shape[1]))[:, None], n=angles, axis=1)


def _curves(axes, template, f, words):
    for name, surface, width in (("template", template, 0.7), ("face", f, 0.9)):
        for i, ring in enumerate(panels.rings(surface, RADII)):
            axes.plot(*ring[:, :2].T, color=COLOURS[name], linewidth=width, label=None if i else name)
    axes.set_aspect("equal")
    axes.set_title(f"{words}: {np.sqrt(np.mean(np.sum((f - template) ** 2, axis=-1))):.1f} mm apart")
    axes.set_xlabel(style.label("x", "mm"))
    axes.set_ylabel(style.label("y", "mm"))


def _energies(axes, energies):
    """Energy after against energy before, one dot a face; dots below the line were brought nearer."""
    most = 1.08 * energies.max()
    axes.plot([0, most], [0, most], color=style.FAINT, linewidth=0.8, linestyle=":", label="no change")
    axes.plot(*energies.T, ".", color=style.COLOURS["blue"], markersize=4, alpha=0.7, label="one face")
    axes.set(xlim=(0, most), ylim=(0, most))
    axes.set_title(f"energies of {len(energies)} faces")
    axes.set_xlabel("energy, rotated only (1)")
    axes.set_ylabel("energy, registered (1)")
    axes.legend(loc="upper left", fontsize=7)
