"""What is said of a face beside what is said of any surface."""

TO_MARK = " or mark its nose tip in the sample sheet"  # a remedy for a face that was refused

# Part of what is said of any surface, and the cause that a face has for it.
CAUSES = {
    "the surface overlaps itself": "hair, a collar and shoulders do so",
    "triangles too thin to compute with": "the rim of glasses and single hairs have such triangles",
    "the surface closes behind itself": "a whole head does so, or stray points round a face",
    "of the surface, more than": "what lies between chin and neck, or behind glasses, is such a part",
}


def explain(reason: str) -> str:
    """Return the reason why a scan was refused, with the cause that faces have for it, where one is known."""
    causes = [cause for part, cause in CAUSES.items() if part in reason]
    return f"{reason}; of faces: {causes[0]}" if causes else reason
