"""Public limits beyond which a registered scan is no face of the template's kind, and is rejected with the cause."""

from dataclasses import dataclass

from shapedp.errors import Rejected


@dataclass(frozen=True)
class Gates:
    """energy : largest energy left; jacobian : least Jacobian; missing : largest share of the extent that is lacking"""

    energy: float
    jacobian: float
    missing: float


def judge(aligned, gates):
    """Raise Rejected for an Aligned beyond a limit."""
    found = aligned.registered
    if aligned.missing > gates.missing:
        raise Rejected(
            "partial_extent",
            f"the scan lacks {aligned.missing:.0%} of the template's extent (at most {gates.missing:.0%}): part of the "
            "face is cut off; scan it whole, or choose a smaller faces.extent.radius for all",
        )
    if found.energy_after > gates.energy or found.min_jacobian < gates.jacobian:
        raise Rejected(
            "unlike_template",
            f"the surface does not fit the template: energy {found.energy_after:.2g} (at most {gates.energy:g}), least "
            f"Jacobian {found.min_jacobian:.2g} (at least {gates.jacobian:g}): no face, half of one, or something "
            "beside it; look at the scan, and crop or clean it",
        )
