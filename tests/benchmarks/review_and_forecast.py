"""What bench `people` measures of the review page and of the forecast's verdicts, on made-up people.

The verdicts: of each n and mu, releases of cohorts drawn from a known population beside the public reference, which is
the public set's own mean or another public face. Public sets are drawn, too: what a verdict can know is how such sets
err, not how this one does. `worse_than_nothing_recommended` counts what was called worth it and lay farther from the
cohort's mean on average (root mean square); `worthy_not_recommended` is the share, of verdicts on those that were
nearer in at least 19 of 20 draws, that did not say worth it.
"""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from browser import chrome, review_pages
from library.privacy.learned import people
from shapedp.privacy import worth
from shapedp.privacy.curves.learned import Shaped, plan_stages
from shapedp.privacy.learned import face_learning
from shapedp.surfaces.chain import quality

SIZES, BUDGETS = (8, 13, 20, 45, 63, 120, 300, 700, 2000), (0.1, 0.25, 0.5, 1.0, 2.0, 3.0)
PUBLIC, SETS, WORTHY = 120, 6, 0.95  # people in a public set, as the default; how many sets; share of draws
FACES, POINTS = 1000, 30_000  # of the page; of a scan


def verdicts(sizes, budgets, draws):
    """Rows of `forecast`."""
    rng, worse, worthy, missed = np.random.default_rng(8), 0, 0, 0
    for own in (True, False):
        learned = [_learned(own, seed) for seed in range(1, SETS + 1)]
        for n in sizes:
            for mu in budgets:
                mechanisms = [_planned(variation, n, mu) for variation in learned]
                called = np.array([one.worth().verdict == worth.WORTH for one in mechanisms])
                drawn = np.array([[_drawn(one, n, rng) for _ in range(-(-draws // SETS))] for one in mechanisms])
                errors, others = drawn[..., 0], drawn[..., 1]
                worse += int(called.any() and errors[called].mean() >= others[called].mean())
                if np.mean(errors < others) >= WORTHY:
                    worthy, missed = worthy + SETS, missed + int((~called).sum())
    yield "forecast", "worse_than_nothing_recommended", worse, "of n and mu"
    yield "forecast", "worthy_not_recommended", missed / max(worthy, 1), "share"


def _planned(variation, n, mu):
    _, rest, chosen = plan_stages(variation, n, mu)
    return Shaped.from_plan(variation, n, rest, chosen)


def _learned(own, seed):
    public = people.draw(PUBLIC, seed)
    center = public.mean(axis=0) if own else people.center()
    found = face_learning.learn(people.reading(public), PUBLIC, center, 12, 10)
    return replace(people.variation(count=PUBLIC), center=center, **vars(found))


def _drawn(mechanism, n, rng):
    """Squared distances of a release and of the reference from the mean of a cohort drawn from the population."""
    weights = rng.standard_normal((n, len(people.VARIANCES))) * np.sqrt(people.VARIANCES)
    along = (
        mechanism.project_on_axes(people.directions()),
        mechanism.project_on_axes(people.center() - mechanism.center),
    )
    u = mechanism.gain * (weights @ along[0] + along[1])
    lengths = np.linalg.norm(u, axis=1)
    clipped = u * np.minimum(1, mechanism.bound / np.maximum(lengths, 1e-300))[:, None]
    noise = mechanism.noise / n * rng.standard_normal(mechanism.coordinates)
    released = mechanism.decode(clipped.mean(axis=0) + noise)
    mean = people.center() + np.tensordot(weights.mean(axis=0), people.directions(), axes=1)
    return [float(np.mean(np.sum((one - mean) ** 2, axis=1))) for one in (released, mechanism.center)]


def review(count):
    """Rows of `review`: processor time of a look's points and of the page, its size, and what works in Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        scan = np.random.default_rng(2).standard_normal((POINTS, 3)) * (1, 1, 0.1)
        start = time.process_time()
        for _ in range(10):
            quality.choose_points(scan)
        each = (time.process_time() - start) / 10
        records = list(review_pages.faces(count))
        start = time.process_time()
        page = review_pages.page_of(Path(folder) / "review.html", records)
        yield "review", "seconds_per_face", each + (time.process_time() - start) / count, "s of processor time"
        yield f"review_{count}", "megabytes", page.stat().st_size / 1e6, "MB"
        if not chrome.missing():
            with chrome.showing(page, tempfile.mkdtemp(dir=folder)) as driver:
                passed = [_works(driver, action) for action in review_pages.ACTIONS]
            yield "review", "actions_passed_share", float(np.mean(passed)), f"of {len(passed)}"


def _works(driver, action):
    driver.refresh()
    try:
        return bool(action(driver))
    except Exception as error:
        print(f"{action.__name__}: {error.__class__.__name__}")
        return False
