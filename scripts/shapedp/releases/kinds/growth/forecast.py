"""What a growth would be worth: how far the mean face at an age would lie from the truth."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.learned.face_variation import Variation
from shapedp.releases.forecasting import tell_too_few
from shapedp.releases.kinds.growth import moments, public_growth, released
from shapedp.releases.kinds.growth.functions import DEGREE, Functions


def lines(entry: Mapping[str, Any], variation: Variation, n: int, scale: float) -> Iterator[str]:
    """Yield what the forecast says of a growth: how far the mean face at an age would err.

    It is as if no public person's age were known: where some are, it errs by less.
    """
    if n < 2:
        yield tell_too_few(entry, n)
        return
    age, other, knots = released.order_covariates(entry["covariates"])
    mu, by = float(entry["budget"]["mu_total"]), other is not None
    public_curve = public_growth.Public.unknown(Functions(knots, DEGREE, by), moments.LOOKED)
    try:
        functions, at = moments.choose_functions(variation, n, mu, public_curve)
    except RefusedRelease as refused:
        yield f"{entry['name']}: would be refused; {refused}"
        return
    error = scale * float(np.sqrt(moments.forecast_errors(variation, n, mu, functions, public_curve)[at]))
    chance_alone = scale * float(np.sqrt(functions.size * variation.spread / n))
    curves = ("straight lines", "curves of degree 2", f"splines on {len(knots)} knots")[functions.degree - 1]
    yield (
        f"{entry['name']}, growth of {n} people at mu = {mu:g}: {curves} over {age.name}; the error of the mean "
        f"face at an age is about {error:.2g} mm, by chance alone and without smoothing {chance_alone:.2g} mm, "
        f"if people differ as in {variation.source}"
    )
