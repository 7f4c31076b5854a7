"""What whoever makes a release declares of it, in their words; printed as given, checked by nobody.

    privacy.statement   who releases, contact, purpose, what the people consented to, licence: each may be left out
    privacy.sources     where each public object comes from, and on what the settings were chosen: none may be left out

`demo` is the one word with a meaning: the built-in model, for an object that is it.
"""

from shapedp.config import public_objects
from shapedp.releases import given_words

TEXTS = ("by", "contact", "purpose", "consent", "licence")
BUILT_IN = "demo"
DEMO_WORDS = "the built-in model, which contains nobody's data"


def of(privacy, branch):
    """What is declared for a branch: {text: words or None, "sources": {object: words}}."""
    given = privacy["sources"]
    words = {name: given[name] for name in public_objects(branch, given.get)}
    sources = {name: DEMO_WORDS if text == BUILT_IN else text for name, text in words.items()}
    return complete({**privacy["statement"], "sources": sources})


def complete(declared):
    """The same with None for each text that is missing; every word is one that a statement can print."""
    texts = {name: declared.get(name) for name in TEXTS}
    sources = declared.get("sources", {})
    for name, text in [*texts.items(), *sources.items()]:
        if text is not None:
            given_words.check(text, f"declared {name}")
    return {**texts, "sources": sources}
