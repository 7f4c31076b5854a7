"""Five laboratories of forty people each on one machine: from scans to one face that none could release alone.

Each laboratory has a folder of its own with scans, settings, keys and ledger; what it sends lies in results/study, and
is carried to the others by copying files. Each also releases its own part of the face, which the first one pools, and
one its own face alone. study.html shows them all. The first round and the first laboratory's joint release are made by
rules; the second round and the others' releases by commands, which start nothing else. Run by `make study`; the folder
is data/study_demo.
"""

import argparse
import base64
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml

from shapedp.base import artifacts

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
LABS = ("bergen", "graz", "pisa", "turku", "ulm")
PEOPLE, MU, CONSPIRING = 40, 1.0, 1
WORDS = "the built-in demonstration, which contains nobody's data"


def main():
    """Run the demonstration in a new folder."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--cores", default="2")
    options.add_argument("--people", type=int, default=PEOPLE, help="of each laboratory")
    options.add_argument("--small", action="store_true", help="coarse faces, for a test")
    asked = options.parse_args()
    shutil.rmtree(asked.folder, ignore_errors=True)
    run_study(asked.folder.resolve(), asked.cores, asked.people, asked.small)


def run_study(folder, cores, people, small):
    """The whole study; each step as the people in charge of a laboratory would take it."""
    host = folder / "host"
    write_settings(host, "host", people, None, small)
    workflow(host, cores, "results/private/template.h5", "results/private/reference/variation.h5")
    keys = {lab: shapedp(folder / lab, "lab", "key", lab).split()[1] for lab in LABS}
    told = [f"--lab={lab}:{key}:{people}" for lab, key in keys.items()]
    public = [f"--{name}=results/private/{where}.h5" for name, where in PUBLIC.items()]
    shapedp(host, "study", "new", "../rhine", *told, *public, f"--mu={MU:g}", f"--conspiring={CONSPIRING}")
    for seed, lab in enumerate(LABS):
        write_settings(folder / lab, lab, people, seed, small)
    for again in range(MOST_ROUNDS):
        for lab in LABS:
            shapedp(folder / lab, "study", "join", "../rhine", f"--lab={lab}", f"--people={people}")
        carry(folder)
        for lab in LABS:
            if again:
                shapedp(folder / lab, "study", "contribute")
            else:
                pictures = (f"{RELEASES}/{one}/preview.png" for one in own(lab))
                workflow(folder / lab, cores, "contribute_part", *pictures)
        carry(folder)
        if "next: shapedp study combine" in shapedp(folder / "bergen", "study", "contribute"):
            break
    parts = [f"../{lab}/{RELEASES}/{PART}" for lab in LABS]
    shapedp(folder / LABS[0], "pool", *parts, "--study=../rhine", "--name=pooled_face", "--ledger=data/ledger")
    workflow(folder / LABS[0], cores, "study_release")
    for lab in LABS[1:]:
        shapedp(folder / lab, "study", "combine", "../rhine")
    for lab in LABS:
        shapedp(folder / lab, "study", "check", "../rhine", f"--lab={lab}")
    workflow(folder / LABS[0], cores, "results/public/releases.zip")
    write_page(folder, people)
    print(f"released together: {folder}/study.html")


RELEASES, PART, ALONE = "results/release/faces", "own_part", "alone"


def own(lab):
    """Names of the releases that a laboratory makes by itself: its part of what is pooled; the first, its own face."""
    return (PART, ALONE) if lab == LABS[0] else (PART,)


def entries(lab, people):
    """The same as the settings have them."""
    budget = {"mechanism": "shaped", "budget": {"mu_total": MU}}
    part = {"name": PART, **budget, "planned_for": people * len(LABS)}
    return [part, {"name": ALONE, **budget, "worth_it_anyway": True}][: len(own(lab))]


def write_page(folder, people):
    """study.html: the five parts, one laboratory alone, the pooled and the joint face, and how far each is off."""
    curves = [_people(folder / lab) for lab in LABS]
    everybody = np.concatenate(curves).mean(axis=0)
    first, count = folder / LABS[0] / RELEASES, people * len(LABS)
    shown = [(f"{lab}: its part, {people} people", folder / lab / RELEASES / PART) for lab in LABS]
    shown += [(f"{LABS[0]} alone, {people} people", first / ALONE)]
    shown += [
        (f"pooled, {count} people: each released by itself", first / "pooled_face"),
        (f"masked sum, {count} people: one may conspire", first / "mean_face"),
    ]
    figures = "\n".join(_figure(words, release, everybody) for words, release in shown)
    text = PAGE.format(labs=len(LABS), people=people, figures=figures)
    (folder / "study.html").write_text(text, encoding="utf-8")


def _people(folder):
    with artifacts.reader(folder / "results/private/faces/curves.h5", artifacts.CURVES) as source:
        return source["curves"]


def _figure(words, release, everybody):
    """One release: its picture, its noise, and its distance from the mean of everybody, which only a demo knows."""
    with artifacts.reader(release / "mean_face.h5", artifacts.MEAN_FACE) as source:
        off = float(source["scale"]) * math.sqrt(np.mean(np.sum((source["curves"] - everybody) ** 2, axis=1)))
    noise = json.loads((release / "statement.json").read_text(encoding="utf-8"))["noise"]["rms_mm"]
    picture = base64.b64encode((release / "preview.png").read_bytes()).decode("ascii")
    print(f"{words}: noise {noise:.3g} mm, {off:.3g} mm from the mean of everybody")
    return (
        f'<figure><img src="data:image/png;base64,{picture}" alt="{words}"><figcaption><strong>{words}</strong><br>'
        f"noise {noise:.2g} mm; {off:.2g} mm from the mean of all {len(LABS)} cohorts</figcaption></figure>"
    )


PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>One face of {labs} laboratories</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222 }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem }}
figure {{ margin: 0; border: 1px solid #ddd; border-radius: 6px; padding: .5rem }}
img {{ width: 100% }}
</style>
<header><h1>One face of {labs} laboratories</h1>
<p>{labs} laboratories of {people} people each, at mu = 1. Each released its part by itself, which anybody may average
(pooled); and all together released one masked sum, whose noise they share. No scan left its laboratory. The people are
of the built-in demonstration, so that the last number, the distance from the mean of everybody, can be shown: it is
noise, what is shrunk towards the public template and, of one laboratory, that its people are not everybody. A part is
planned for all cohorts together, one laboratory's own release for its people alone.</p></header>
<main>
{figures}
</main></html>
"""

PUBLIC = {"template": "template", "variation": "reference/variation"}
MOST_ROUNDS = 2  # a first stage asks how far people lie, where there are enough of them


def write_settings(folder, lab, people, seed, small):
    """The settings of a laboratory, or of the host, whose run makes what the study agrees on."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "faces": {
            "scans": "demo",
            "demo": {"count": people, "bad": 0, "seed": 5 if seed is None else seed},
            "keep": ["curves"],
            "template": "built_in",
            "bounds": {"source": "reference_set", "reference_set": "built_in"},
            "releases": [] if seed is None else entries(lab, people),
            "study": None if seed is None else {"file": "../rhine/study.yaml", "lab": lab},
        },
        "shapes": None,
        "privacy": {
            "population": {"faces": lab},
            "people": {"faces": people},
            "cap": {"faces": {"mu_total": 2.0}},
            "tuned_on": "public",
            "look_first": False,  # nobody has to protect people who are drawn
            "sources": {"settings": WORDS, "template": "built_in", "bounds": "built_in"},
        },
    }
    if small:
        settings["faces"] |= SMALL
        settings["faces"]["bounds"]["reference_count"] = 10
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


SMALL = {
    "curves": {"count": 23, "samples": 80, "spacing": "arc"},
    "surface": {"rings": 48, "angles": 128},
    "registration": {"levels": 2, "basis": 60, "regularisation": 0.1, "search": "auto"},
    "gates": {"energy": 0.35},
    "variation": {
        "directions": 12,
        "harmonics": 12,
        "quantile": 0.95,
        "assumed_mean_shift": 0.35,
        "assumed_shift_outside_modes": 1.2,
    },
}


def carry(folder):
    """Copy each laboratory's letters to all others, as mail would."""
    for sender in LABS:
        for letter in sorted((folder / sender / "results/study").rglob(f"*-{sender}.*")):
            for receiver in LABS:
                target = folder / receiver / letter.relative_to(folder / sender)
                target.parent.mkdir(parents=True, exist_ok=True)
                if receiver != sender:
                    shutil.copyfile(letter, target)


def workflow(folder, cores, *targets):
    """Run snakemake in the folder of a laboratory."""
    run(folder, PROGRAMS / "snakemake", *targets, "--snakefile", ROOT / "Snakefile", "--cores", cores, "--quiet", "all")


def shapedp(folder, *arguments):
    """What the command prints, in the folder of a laboratory."""
    told = run(folder, PROGRAMS / "shapedp", *arguments)
    print(told, end="", flush=True)
    return told


def run(folder, *command):
    """The output of a command that must succeed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(one) for one in command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{folder.name}: {' '.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
