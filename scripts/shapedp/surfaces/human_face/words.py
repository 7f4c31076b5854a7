"""What is said of a face beside what is said of any surface."""

TO_MARK = " or mark its nose tip in the sample sheet"  # a remedy for a face that was refused

# Part of what is said of any surface, and the cause that a face has for it.
CAUSES = {
    "the surface overlaps itself": "hair, a collar and shoulders do this",
    "triangles too thin to compute with": "the rim of glasses and single hairs make such triangles",
    "the surface closes behind itself": "a whole head does this, and so do stray points round it",
    "of the surface, more than": "it is often what lies between chin and neck, or behind glasses",
}


def explain(reason: str) -> str:
    """Return the reason why a scan was refused, with the cause that faces have for it, where one is known."""
    causes = [cause for part, cause in CAUSES.items() if part in reason]
    return f"{reason}; on faces, {causes[0]}" if causes else reason
