"""What does a test of a shell script answer, where its words are known: `[ "$N" -gt 1 ]`, `[[ $LIST != *,* ]]`?"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from dtlint.launch.shell_values import NAME, Word
from dtlint.launch.shell_words import Token

NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-gt": operator.gt,
    "-ge": operator.ge,
    "-lt": operator.lt,
    "-le": operator.le,
}
BRACKETS = ("[", "[[", "test")


def answer(words: Sequence[Word]) -> bool | None:
    """True or false, or None where only the running shell knows."""
    if not all(word.known for word in words):
        return None
    match [word.text for word in words if word.text not in ("[", "[[", "test", "]", "]]")]:
        case ["-z", text]:
            return not text
        case ["-n", text]:
            return bool(text)
        case [left, "=" | "==", right]:
            return fnmatchcase(left, right)
        case [left, "!=", right]:
            return not fnmatchcase(left, right)
        case [left, sign, right] if sign in NUMBERS and left.isdigit() and right.isdigit():
            return NUMBERS[sign](int(left), int(right))
    return None


def names(parts: Sequence[Token]) -> set[str]:
    """The variables that a test looks at."""
    return {
        match[0] for part in parts for piece in part.text.split("$")[1:] if (match := NAME.match(piece.lstrip("{")))
    }
