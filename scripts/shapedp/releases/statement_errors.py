"""What a statement says of how far a release may be off, from its JSON alone."""

from shapedp.releases import catalogue


def lines(statement):
    """Size of the noise; what a first stage found; whether it was shrunk; whether the cohort differs."""
    noise = statement["noise"]
    return [
        *(_error_of_model(noise) if statement["mechanism"]["name"] == catalogue.MODEL else _error(noise)),
        *_first(statement),
        *_shrunk(noise["shrunk"]),
        *_cohort(statement["differs_from_public_set"]),
    ]


def _first(statement):
    """What a first stage found of how far people lie."""
    widened = statement["noise"]["widened"]
    if widened is None:
        return []
    share = statement["mechanism"]["sensitivity"]["inputs"]["w"][0]
    return [
        f"- First stage: {share:.2g} of mu² was spent on asking, with noise of its own, how far these people lie "
        f"beyond the bound. It was widened {widened:.4g} times before people were clipped, and the noise with it; both "
        "stages are in the guarantee."
    ]


def _shrunk(factors):
    """That it was drawn towards the center, which is no further look at anybody."""
    if factors is None:
        return []
    least, largest = factors
    return [
        "- Shrunk towards the public center after the noise was drawn: each released direction was multiplied by a "
        f"factor between {least:.3g} and {largest:.3g} that follows from n, the budget and public numbers alone. This "
        "is post-processing, which tells nothing more of anybody. The release is nearer to the center than what was "
        "drawn, and farther from these people's mean where that lies far from the center."
    ]


def _cohort(differs):
    """What the release itself says of the cohort and the public set."""
    if differs is None:
        return []
    if differs:
        return [
            "- **This cohort differs from the public set** that the noise was shaped by: what is released beyond the "
            "ways in which public faces differ is larger than noise and chance. The guarantee stands; the error may be "
            "larger than was foretold."
        ]
    return ["- Nothing in the release says that this cohort differs from the public set that the noise was shaped by."]


def _error(noise):
    """How large the noise is, where that is public."""
    if noise["rms_mm"] is None:
        return []
    return [
        f"- Error: the noise moves a point by {noise['rms_mm']:.3g} mm, root mean square, on a face of the template's "
        "size; at each point as `noise_mm` in the artifact says. A release may look like a face and be that far off. "
        "`noise_draws` are simulated from the public size of the noise around the release by an ordinary generator: "
        "post-processing, which tells nothing more of anybody."
    ]


def _error_of_model(noise):
    """The same of a model; a page of faces says it for each face that is asked for."""
    if noise["rms_mm"] is None:
        return [
            "- Error: that of mean, effects and modes follows from `moment_noise`; tables beside this say how large."
        ]
    return [
        f"- Error: the noise moves a point of the mean by {noise['rms_mm']:.3g} mm, root mean square, on a face of the "
        "template's size; that of effects and modes follows from `moment_noise` and stands on the page. "
        "What the model gives may look like a face and be that far off. Faces drawn from it are of nobody."
    ]
