"""What can the place we write to show: colour, how many columns, which characters?

rich's own answers differ from what people expect (`FORCE_COLOR=0` turns colour on), so they are decided here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import IO

GLYPHS = "●◌·✗…│└─→≤"
# Control characters would move the cursor, bidirectional overrides would show code in an order it does not run in.
UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ASCII = str.maketrans({"●": "*", "◌": "o", "·": ".", "✗": "x", "…": "~", "│": "|", "└": "`", "─": "-", "→": ">"})


def color_wanted(choice: str, stream: IO[str], environment: Mapping[str, str] | None = None) -> bool:
    """`--color` > NO_COLOR > FORCE_COLOR > is it a terminal? "" and "0" mean off in both variables' spirit."""
    variables = os.environ if environment is None else environment
    if choice in ("always", "never"):
        return choice == "always"
    if variables.get("NO_COLOR"):
        return False
    if "FORCE_COLOR" in variables:
        return variables["FORCE_COLOR"] not in ("", "0", "false")
    return is_terminal(stream) and variables.get("TERM") != "dumb"


def is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def width(stream: IO[str], environment: Mapping[str, str] | None = None) -> int:
    variables = os.environ if environment is None else environment
    columns = variables.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(20, int(columns))
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns or 80)
    except (OSError, ValueError, AttributeError):
        return 80


def ascii_only(stream: IO[str]) -> bool:
    try:
        GLYPHS.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def clean(text: str) -> str:
    """Text from a scanned file as it may be shown: tabs widened, nothing that steers the terminal."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.expandtabs(4))


def nobody_reads() -> int:
    """The reader has gone, as in `dtlint check | head`: nothing may be written any more, not even at shutdown."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141
