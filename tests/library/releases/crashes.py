"""Releases in child processes that die at any of their system calls, and what must hold afterwards."""

import fcntl
import os
from contextlib import suppress

from library.releases import examples
from shapedp.base.errors import ConfigError
from shapedp.ledger import ledger_folder
from shapedp.ledger.spending import Cap
from shapedp.releases import allow_list

CALLS = ("open", "write", "fsync", "close", "replace", "rename", "mkdir", "unlink", "rmdir", "ftruncate")
DEAD = 137
CAP, HIGHER = Cap(mu_total=3.0), Cap(mu_total=4.0)


def publish(folder, asked=None, draw=None, facts=None, name="mean_face"):
    """Make a release under a folder; its draw."""
    draw = draw or examples.Draw()
    examples.publish(
        ledger_folder.Ledger(folder / "ledger"),
        asked or examples.request(),
        facts or examples.stated(),
        draw,
        examples.output(folder, name),
    )
    return draw


def rows(folder):
    return ledger_folder.Ledger(folder / "ledger").list_releases("people")


def in_child(work):
    """Run `work` in a forked process; its process id."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die_at(count, torn):
    """Patch the system calls of this process so that it dies at call number `count`: before it, or half-way (torn)."""
    left = [count]

    def dying(real, name):
        def call(*args, **kwargs):
            left[0] -= 1
            if left[0] == 0:
                if torn and name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                os._exit(DEAD)
            return real(*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, dying(getattr(os, name), name))
    fcntl.flock = dying(fcntl.flock, "flock")


def crash(folder, count, torn=False, act=None):
    """Whether a release, or another act on `folder`, that dies at its call `count` died; draws leave a file `drawn`."""
    folder.mkdir(exist_ok=True)
    mark = os.open(folder / "drawn", os.O_WRONLY | os.O_CREAT)
    write = os.write

    def work():
        class Marked(examples.Draw):
            def __call__(self):
                write(mark, b"1")
                return super().__call__()

        die_at(count, torn)
        act(folder) if act else publish(folder, draw=Marked())

    code = exit_code(in_child(work))
    os.close(mark)
    assert code in (0, DEAD)
    return code == DEAD


def first(folder):
    """A first release, with a cap."""
    publish(folder, examples.request(cap=CAP))


def second(folder):
    """Another release of a population that has one."""
    publish(folder, examples.request(name="second", inputs_digest="cd" * 32, cap=CAP), name="second")


def raise_cap(folder):
    """Raise the recorded cap."""
    at = ledger_folder.Ledger(folder / "ledger")
    with suppress(ConfigError):  # it may have been raised before the crash
        at.raise_cap("people", HIGHER, "the people agreed")


def check_second(folder):
    """After a crash of `second`: the first release is whole, and the next call shows one draw of the second."""
    before = examples.shown(folder)
    second(folder)
    assert examples.shown(folder) == before
    after, found = examples.shown(folder, "second"), rows(folder)
    assert found[0]["status"] == found[-1]["status"] == "released" and len(found) <= 3
    assert len(allow_list.check_releases(folder / "results" / "release")) == 2
    second(folder)
    assert examples.shown(folder, "second") == after and rows(folder) == found


def check_acts(folder):
    """After a crash of `raise_cap`: the cap is the old or the new one, and the act can be repeated to its end."""
    at = ledger_folder.Ledger(folder / "ledger")
    with at.open_book("people") as book:
        assert book.find_cap() in (CAP, HIGHER)
    raise_cap(folder)
    with at.open_book("people") as book:
        assert book.find_cap() == HIGHER
        assert len(book.select_events("cap")) == 2
    publish(folder, examples.request(cap=HIGHER))
    assert len(rows(folder)) == 1


def crash_leaves_copy(folder, count):
    """Whether a release that dies at its call `count` (0: never) has stored its files by then."""
    crash(folder, count)
    return count > 0 and has_copy(folder)


def has_copy(folder):
    return any((folder / "ledger" / "people").glob("[0-9]*"))


def check_recovery(folder):
    """After a crash: nothing shown that is not recorded; the next call shows one draw, and every draw was recorded."""
    drawn = (folder / "drawn").stat().st_size
    before = examples.shown(folder) if examples.output(folder).exists() else None
    stored = has_copy(folder)
    draw = publish(folder, draw=examples.Draw(start=100))
    after, found = examples.shown(folder), rows(folder)
    assert before is None or before == after
    assert allow_list.check_releases(folder / "results" / "release") == [examples.output(folder)]
    assert set(after) == {"mean_face.h5", "statement.json", "statement.md"}
    assert stored == (draw.calls == 0)
    assert drawn + draw.calls <= len(found)
    assert [row["status"] for row in found] == ["spent, never released"] * (len(found) - 1) + ["released"]
    assert publish(folder).calls == 0 and examples.shown(folder) == after and rows(folder) == found
    return len(found)
