"""The papers' statements, read from papers/*.yaml: what each says and where; modules claims_* measure it."""

from dataclasses import dataclass
from importlib import resources

import yaml

from shapedp.simulation.claims import NOT_TESTABLE, Claim, verdict

PAPERS = resources.files("shapedp") / "simulation" / "papers"
FILES = [str(PAPERS / f"{name}.yaml") for name in ("laplace", "kng", "faces")]


@dataclass(frozen=True)
class Stated:
    """The statements of one paper by their keys; texts have {words} that a measurement fills in."""

    paper: str
    statements: dict

    def claim(self, key, measured, error, found, why=None, **words):
        """The Claim: a statement beside what was measured.

        found : whether it holds, or a verdict; why : in place of the file's reason, which takes {words} too
        """
        said = self.statements[key]
        reason = said.get("why", "").format(**words) if why is None else why
        place, statement, published = (said[part].format(**words) for part in ("place", "statement", "published"))
        judged = found if isinstance(found, str) else verdict(found)
        return Claim(self.paper, place, statement, published, measured, error, judged, reason)

    def not_testable(self, key, why=None):
        """The Claim of a statement that nothing here can test; why : in place of the file's reason."""
        said = self.statements[key]
        return self.claim(key, said.get("measured", ""), None, NOT_TESTABLE, why or said["not_testable"])

    def with_part(self, part):
        """{key: value} of the statements that have an additional part, such as `order`."""
        return {key: said[part] for key, said in self.statements.items() if part in said}


def of(name):
    """The statements of the paper called `name`."""
    return Stated(**yaml.safe_load((PAPERS / f"{name}.yaml").read_text(encoding="utf-8")))
