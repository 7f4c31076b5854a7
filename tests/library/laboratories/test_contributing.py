"""A part of a study is sent only after somebody has looked at its people."""

from types import SimpleNamespace

import pytest

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import pages, schema
from shapedp.laboratories import contributing, joint
from shapedp.people import populations
from shapedp.people.samples import Sample
from shapedp.releases import look

PEOPLE = [Sample(f"scan_{at}", f"{at}.ply", f"person_{at}") for at in range(3)]
ENTRY = {"name": "mean_face", "mechanism": "shaped", "budget": {"mu_total": 1.0}}


class PastTheLook(Exception):
    """What comes after the look is another test's."""


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """Send a part of a study whose hellos are there."""
    (tmp_path / "hello.json").write_text("{}")
    settings = schema.complete_settings(pages.make_demo())
    faces = settings["faces"] | {"study": {"file": "study.yaml", "lab": "bergen"}}
    agreed = SimpleNamespace(release=ENTRY, refuse_other_settings=lambda faces: None)
    first = SimpleNamespace(study=agreed, attempt=1)
    this = SimpleNamespace(name="1", hello_path=lambda lab: tmp_path / "hello.json")
    monkeypatch.setattr(contributing, "find_first_round", lambda *_: first)
    monkeypatch.setattr(joint, "find_current_round", lambda first: this)
    monkeypatch.setattr(populations, "find", lambda faces, cells: {"faces": PEOPLE})

    def ledger(_):
        raise PastTheLook

    monkeypatch.setattr(contributing, "Ledger", ledger)

    def send(**declared):
        privacy = settings["privacy"] | {"look_first": True} | declared
        return list(contributing.send(faces, privacy, tmp_path, tmp_path)), privacy

    send.faces, send.privacy, send.path = faces, settings["privacy"], tmp_path / look.LOOK_FILE
    return send


def test_nothing_is_sent_before_a_look_and_no_ledger_is_opened(sent):
    with pytest.raises(RefusedRelease, match=r"nobody has looked at population 'demo_faces' yet.*Nothing was spent"):
        sent()


def test_it_is_after_one_and_where_settings_ask_for_none(sent):
    with pytest.raises(PastTheLook):
        sent(look_first=False)
    sent.path.parent.mkdir()
    frame = look.read_frame(PEOPLE, sent.privacy)
    look.note_looks(sent.path, [look.make_look("faces", sent.faces, sent.privacy, frame, [ENTRY])])
    with pytest.raises(PastTheLook):
        sent()
