"""Check the proofs beside this file with Coq, and write docs/proofs.md, and what statements say of it, from the list
beside them.

python docs/proofs/prove.py

Refused are gaps, and axioms other than those of Coq's real numbers, in whatever a theorem of the list rests on.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "proofs.md"
LIST = HERE.parents[1] / "workflow/schemas/proofs.json"  # what statements of releases say of it
OF_THE_REALS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
GAP = re.compile(r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Hypothes[ei]s|Variables?)\b")
HEAD = """# Proofs that a machine checks

Written by `make prove` from `docs/proofs/statements.yaml`: what the noise of each release is scaled to, by its number
in [the mathematics](mathematics.md). The theorems stand in `docs/proofs/Sensitivity.v` and hold for vectors of any
length. They are of real and of whole numbers: what a computer does besides is not in them, and is named beside the
test that ties it.

Of {count} inequalities {proved} are proved by Coq, {given} of these from a fact that their line names ("given"); the
others rest on a proof on paper. The theorems assume, all together: {axioms}.

| number | statement | proved by | met | tied to the code by | mechanisms | not in the proof, and its test |
| --- | --- | --- | --- | --- | --- | --- |
"""


def statements():
    """Return the entries of the fixed list, in the order of their numbers."""
    return yaml.safe_load((HERE / "statements.yaml").read_text(encoding="utf-8"))


def theorems():
    """Return the names of the theorems that the list rests on."""
    return [name for entry in statements() for name in entry.get("theorems", [])]


def source():
    """Return the text of the proofs without comments."""
    return re.sub(r"\(\*.*?\*\)", "", (HERE / "Sensitivity.v").read_text(encoding="utf-8"), flags=re.DOTALL)


def gaps(text):
    """Return the words by which a text of Coq, without comments, leaves something unproved."""
    return GAP.findall(text)


def axioms(text):
    """Return what theorems assume, by what `Print Assumptions` said of them."""
    return set(re.findall(r"^([\w.]+)(?=\s*:)", text, flags=re.MULTILINE)) - {"Axioms"}


def checked():
    """Return the axioms that all theorems of the list rest on together; stop where a proof fails or assumes more."""
    if found := gaps(source()):
        sys.exit(f"docs/proofs/Sensitivity.v leaves something unproved: {', '.join(found)}; prove it")
    with tempfile.TemporaryDirectory() as folder:
        asked = f"Definition everything := ({', '.join(theorems())}).\nPrint Assumptions everything.\n"
        text = (HERE / "Sensitivity.v").read_text(encoding="utf-8")
        (Path(folder) / "Sensitivity.v").write_text(f"{text}\n{asked}", encoding="utf-8")
        run = subprocess.run(["coqc", "-q", "Sensitivity.v"], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"docs/proofs/Sensitivity.v: Coq refuses it: {' '.join(run.stderr.split())[:400]}; mend the proof")
    found = axioms(run.stdout)
    if more := found - OF_THE_REALS:
        sys.exit(f"docs/proofs/Sensitivity.v assumes more than the real numbers: {', '.join(sorted(more))}; prove it")
    return found


def page(found):
    """Return the text of docs/proofs.md; found : the axioms that the theorems rest on."""
    entries = statements()
    proved = sum("theorems" in entry for entry in entries)
    names = ", ".join(f"`{name}`" for name in sorted(found))
    given = sum("given" in entry for entry in entries)
    head = HEAD.format(count=len(entries), proved=proved, given=given, axioms=names)
    return head + "".join(f"| {' | '.join(cells(entry))} |\n" for entry in entries)


def proved():
    """Return the text of proofs.json: by number, what is proved, and from what."""
    kept = {
        entry["number"]: {key: entry[key] for key in ("statement", "given") if key in entry}
        for entry in statements()
        if "theorems" in entry
    }
    return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"


def cells(entry):
    """Return the cells of an entry's line."""
    by = "Coq: " + listed(entry["theorems"]) if "theorems" in entry else f"on paper: {entry['paper']}"
    by += f"; given {entry['given']}" if "given" in entry else ""
    outside = "; ".join(f"{one['what']}: `{one['test']}`" for one in entry["outside"])
    met = "yes" if entry["tight"] else "not claimed"
    return (
        f"({entry['number']})",
        entry["statement"],
        by,
        met,
        listed(entry["tied"]),
        listed(entry["mechanisms"]),
        outside,
    )


def listed(names):
    """Return names as a list in words."""
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    if not shutil.which("coqc"):
        sys.exit("coqc is missing: install the Debian package coq")
    PAGE.write_text(page(checked()), encoding="utf-8")
    LIST.write_text(proved(), encoding="utf-8")
    print("docs/proofs.md, workflow/schemas/proofs.json")
