"""The covariates of people who are drawn, as a sample sheet would have them."""

from collections.abc import Iterator


def cells_of_drawn(seed: int, count: int, word: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield ((column, text), ...) of each of `count` people.

    Parameters
    ----------
    seed : int
        Of their faces.
    count : int
        How many.
    word : str
        What settings call them: demo, built_in or formula.
    """
    from shapedp.surfaces.human_face.demo import scans  # numpy, which the workflow starts without

    for index in range(count):
        yield tuple(scans.truth(seed, index, word).person.cells().items())
