"""Words that a person gave and that a statement prints as they stand: declared sources, reasons, purposes.

One line that shows, without the signs that mean something in Markdown or HTML, so that it can never be more than words.
"""

import re

from shapedp.errors import ConfigError

LONGEST = 400
PATTERN = (  # also in both schemas, where a test compares it
    r"^[^\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff<>|*`\[\]\\{}~]{1,400}$(?!\n)"
)


def check(text, what):
    """The words, refused if a statement could not print them as they stand."""
    if not (isinstance(text, str) and text.strip() and re.fullmatch(PATTERN, text)):
        raise ConfigError(
            f"{what}: found {str(text)[:80]!r}; say it in one line of 1 to {LONGEST} characters, without any of "
            "< > | * ` [ ] { } ~ or a backslash"
        )
    return text
