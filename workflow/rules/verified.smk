"""What of a run is computed again."""


def verified(cohort):
    """The batches of a cohort that are computed again: all, or so many spread evenly over it."""
    batches = list(BATCHES[cohort])
    count = (
        len(batches) if FACES["verify"] == "all" else min(FACES["verify"], len(batches))
    )
    return [batches[index * len(batches) // count] for index in range(count)]


def bounds_to_verify():
    """(path, curves, source, reference) of the bounds that releases use."""
    for path in BOUNDS_IN_USE:
        source, reference = Path(path).stem.rsplit("_", 1)
        yield path, f"results/private/{BOUNDING[source]}/curves.h5", source, reference


def variations_to_verify():
    """(path, curves, source, own people) of what releases learned of how public faces differ."""
    curves, words = (
        "results/private/reference/curves.h5",
        populations.describe_reference_set(FACES),
    )
    for path in VARIATIONS_IN_USE:
        yield path, curves, words, populations.count_own_people(FACES, COHORTS)


def stacks_to_verify():
    """(path, paths of the batches, samples) of the cohorts' curves."""
    for cohort, path in zip(STACKED, STACKS_TO_VERIFY):
        yield path, of_cohort(cohort, "curves"), RUN.list_stacked(cohort)


def rows_to_verify():
    """(path, paths of the batches, samples, entry) of the rows that releases take for themselves."""
    for path in OWN_ROWS:
        of_whom = of_cohort("faces", "curves"), plain_samples("faces")
        yield path, *of_whom, entry("faces", Path(path).stem)


def learned_to_verify():
    """(path, paths of the batches, samples, entry, source) of what public people teach of such rows."""
    for path in LEARNED_OF_ROWS:
        of_whom = of_cohort("reference", "curves"), plain_samples("reference")
        named = entry("faces", Path(path).stem), populations.describe_reference_set(
            FACES
        )
        yield path, *of_whom, *named
