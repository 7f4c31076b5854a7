"""What scans show, in words: plurals, articles, what stays, and that nothing of a face is said of another subject."""

import re
from pathlib import Path

import pytest

from shapedp.base.errors import ArtifactError
from shapedp.base.settings import subjects
from shapedp.base.settings.subjects import Subject

OF_FACES = re.compile(r"\b(nose|hair|hairs|glasses|collar|chin|forehead)\b", re.IGNORECASE)
SPOKEN = re.compile(r'"([^"\n]*)"')


@pytest.mark.parametrize(
    ("setting", "plural"),
    [("molar", "molars"), ("patella", "patellas"), ("tooth/teeth", "teeth"), ("axis", "axises"), ("body", "bodies")],
)
def test_a_subject_has_a_plural(setting, plural):
    assert Subject.from_setting(setting).plural == plural


def test_sentences_take_the_word_and_its_article():
    ear = Subject.from_setting("ear")
    assert ear.in_words("A face, the faces and a mean face. Face 3 is a face.") == (
        "An ear, the ears and a mean ear. Ear 3 is an ear."
    )
    assert Subject.from_setting("tooth/teeth").in_words("two faces of a face model") == "two teeth of a tooth model"


@pytest.mark.parametrize(
    "stored",
    [
        "mean_face.ply",
        "faces.scans: 'x'",
        "kind: mean_face",
        "results/private/faces/forecast.txt",
        "`faces`",
        "{faces: 3}",
    ],
)
def test_names_of_settings_and_files_stay(stored):
    assert Subject.from_setting("ear").in_words(stored) == stored


def test_a_unit_stands_where_mm_stood():
    terrain = Subject.from_setting("terrain", "m")
    assert terrain.in_words("noise 0.2 mm at a point; x_mm stays, mm(here) too") == (
        "noise 0.2 m at a point; x_mm stays, mm(here) too"
    )


def test_faces_are_told_as_they_were():
    words = "a face: 3 mm"
    assert subjects.FACES.in_words(words) == words
    assert subjects.FACES.in_page(f"<p>{words}</p>") == f"<p>{words}</p>"


def test_a_library_in_a_page_is_not_touched():
    library = "<script>" + "face,".ljust(subjects.LIBRARY + 1) + "</script>"
    page = Subject.from_setting("ear").in_page(f"<p>a face</p>{library}<p>faces</p>")
    assert page == f"<p>an ear</p>{library}<p>ears</p>"


def test_a_long_page_is_said_in_its_own_words_and_its_pictures_stay():
    picture = "+mm+face" * (subjects.LIBRARY // 8)
    page = Subject.from_setting("ear", "cm").in_page(f'<p>a face, 3 mm</p><img src="data:image/png;base64,{picture}">')
    assert page == f'<p>an ear, 3 cm</p><img src="data:image/png;base64,{picture}">'


REACHED = (
    "surfaces/meshing",
    "surfaces/disk_map",
    "surfaces/scans",
    "surfaces/chain/quality.py",
    "releases/viewer/review.js",
    "releases/viewer/review.html",
)


def test_what_meshing_and_review_say_of_a_face_is_said_of_no_ear():
    """Of each text in the modules that a subject's scans go through."""
    root = Path(subjects.__file__).parents[2]
    files = [
        path for name in REACHED for path in ([root / name] if (root / name).is_file() else (root / name).rglob("*.py"))
    ]
    assert files
    ear, left = Subject.from_setting("ear"), []
    for path in files:
        # sentences that run over several lines of the source are put together first
        source = re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))
        for text in SPOKEN.findall(source):
            if " " in text and OF_FACES.search(ear.in_words(text)):
                left.append((path.name, ear.in_words(text)))
    assert not left


@pytest.mark.parametrize(
    "named",
    [
        {"subject": "knee<script>alert(1)</script>"},
        {"subject": "knee\x1b[31m"},
        {"subject": 3},
        {"subject": "k" * 61},
        {"subject": "knee", "unit": 'mm"onload'},
    ],
)
def test_a_statement_of_strangers_names_words_alone(named):
    with pytest.raises(ArtifactError, match="is not a word"):
        subjects.from_statement({"settings": named})


def test_a_statement_names_its_subject():
    shown = subjects.from_statement({"settings": {"subject": "tooth/teeth", "unit": "m"}})
    assert (shown.word, shown.plural, shown.unit) == ("tooth", "teeth", "m")
    assert subjects.from_statement({}).is_face
