"""What does one comparison with a number tell of another? Who is above 2 is above 0, too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dtlint.machine.values import Symbol

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
LOWER, UPPER = (">", ">="), ("<", "<=")

Compared = tuple[Symbol, str, float]


def compared(asked: Any) -> Compared | None:
    """`stage >= 2`, `2 <= stage`: what, how, and with which number."""
    if not isinstance(asked, Symbol):
        return None
    if asked.compared is None:
        asked.compared = read(asked) or False
    found: Compared | None = asked.compared or None
    return found


def read(asked: Symbol) -> Compared | None:
    if len(asked.key) != 3 or not str(asked.key[0]).startswith("compare "):
        return None
    word = str(asked.key[0]).removeprefix("compare ")
    left, right = asked.key[1:]
    if isinstance(left, Symbol) and (number := number_of(right)) is not None and word in TURNED:
        return left, word, number
    if isinstance(right, Symbol) and (number := number_of(left)) is not None and word in TURNED:
        return right, TURNED[word], number
    return None


def number_of(part: Any) -> float | None:
    if type(part) is int:
        return part
    if type(part) is tuple and len(part) == 2 and part[0] == "float":
        try:
            return float(part[1])
        except ValueError:
            return None
    return None


def subject(what: Any) -> Any:
    """What a known answer is about, if it is a comparison with a number."""
    if type(what) is tuple and what[:1] == ("equal to",):
        return what[1]
    found = compared(what)
    return found[0] if found is not None else None


def follows(asked: Symbol, known: Iterable[tuple[Any, Any]]) -> bool | None:
    """The answer to a comparison where other comparisons of the same thing are answered."""
    question = compared(asked)
    if question is None:
        return None
    about, word, number = question
    for what, answer in known:
        if subject(what) is not about:
            continue
        fact = fact_of(what, answer)
        found = decided(word, number, *fact) if fact is not None else None
        if found is not None:
            return found
    return None


def fact_of(what: Any, answer: Any) -> tuple[str, float] | None:
    """A comparison that holds."""
    if type(what) is tuple:
        number = number_of(answer)
        return None if number is None else ("==", number)
    _, word, number = compared(what) or (None, "", 0.0)
    if answer is False:
        word = OPPOSITE.get(word, "")
    return (word, number) if word else None


def decided(word: str, number: float, holds: str, limit: float) -> bool | None:
    """Is `x word number` so, wherever `x holds limit` is?"""
    if holds == "==":
        return {"<": limit < number, "<=": limit <= number, ">": limit > number, ">=": limit >= number}.get(
            word, limit == number
        )
    if word == "==":
        return None if within(number, holds, limit) else False
    if (word in LOWER) == (holds in LOWER):
        beyond = limit > number if word in LOWER else limit < number
        return True if beyond or (limit == number and not (holds in ("<=", ">=") and word in ("<", ">"))) else None
    apart = limit < number if word in LOWER else limit > number
    return False if apart or (limit == number and not (holds in ("<=", ">=") and word in ("<=", ">="))) else None


def within(number: float, holds: str, limit: float) -> bool:
    return {"<": number < limit, "<=": number <= limit, ">": number > limit, ">=": number >= limit}[holds]
