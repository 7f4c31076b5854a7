"""The chain: all steps from a scan to its curves, in their order."""

from shapedp.surfaces.chain import to_disk, to_template

STEPS = (*to_disk.STEPS, to_template.REGISTER_SURFACES, to_template.EXTRACT_CURVES)
CURVES = STEPS[-1]
# The sections of `faces` that the chain depends on.
SETTINGS = tuple(key for step in STEPS for key in step.settings)
RULES = {step.makes: step.name for step in STEPS}
