"""Which rows are of one person: decided by names, never by what a record holds."""

from shapedp.errors import ConfigError

SHOWN = 5  # persons named in a refusal


def of_persons(ids, persons, treatment):
    """{person: rows}, in the order of the rows; treatment : `refuse` a person with several, or `average` them.

    persons : one name a row, or "" throughout where nobody says: then each row stands for a person of its own
    """
    if not any(persons):
        return {one: [row] for row, one in enumerate(ids)}
    rows = {}
    for row, person in enumerate(persons):
        rows.setdefault(person, []).append(row)
    repeated = [person for person, own in rows.items() if len(own) > 1]
    if repeated and treatment == "refuse":
        raise ConfigError(
            f"{len(repeated)} persons have several records ({', '.join(repeated[:SHOWN])}, ...): a person has one; set "
            "shapes.persons to `average`, which averages within the person first, or keep one record each"
        )
    return rows


def groups(rows, group_of):
    """The group of each person of `of_persons`; nobody stands in two."""
    torn = [person for person, own in rows.items() if len({group_of[row] for row in own}) > 1]
    if torn:
        raise ConfigError(
            f"{len(torn)} persons stand in more than one group ({', '.join(torn[:SHOWN])}, ...): give all records of a "
            "person one group in the sheet"
        )
    return [group_of[own[0]] for own in rows.values()]
