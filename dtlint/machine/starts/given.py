"""What was given to the program on its command line: all ranks have the same."""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.comparisons import COMPARISONS
from dtlint.machine.values import Symbol

PARSED = "argparse.ArgumentParser.parse_args"
DEFAULTS = "defaults of options"  # fact of the run: what they are where nobody gives them
ARGUMENTS = "sys.argv"  # the words themselves, and what is asked of them
COMPUTED = ("op ", "compare ", "is none", "not", "attr", "item", "and", "or", "phi")


def settled(symbol: Symbol) -> bool:
    """Is it computed on the spot of what was given to the program, and of nothing else?"""
    word = symbol.key[0]
    if word == PARSED or any(isinstance(part, str) and part.startswith(ARGUMENTS) for part in symbol.key):
        return True
    inner = [part for part in symbol.key[1:] if isinstance(part, Symbol)]
    return word.startswith(COMPUTED) and bool(inner) and all(map(settled, inner))


def is_option(symbol: Symbol) -> bool:
    """An option of the command line, as the parser gives it."""
    return symbol.key[0] == "attr" and isinstance(symbol.key[1], Symbol) and symbol.key[1].key[0] == PARSED


def usual_number(facts: dict[str, Any], part: Any) -> int | None:
    """A whole number (as a token) that is written down, or that an option is where nobody gives it."""
    if isinstance(part, Symbol) and is_option(part):
        part = facts.get(DEFAULTS, {}).get(part.key[2])
    return part if type(part) is int else None


def usual_answer(facts: dict[str, Any], question: Symbol) -> bool | None:
    """What `options.seed >= 0` comes to where nobody gives the option; None: its default does not tell."""
    defaults = facts.get(DEFAULTS, {})
    word, *parts = question.key
    if is_option(question):
        return bool(defaults[question.key[2]]) if question.key[2] in defaults else None
    asked = parts[0] if parts else None
    if word == "not" and isinstance(asked, Symbol):
        answer = usual_answer(facts, asked)
        return None if answer is None else not answer
    if not isinstance(asked, Symbol) or not is_option(asked) or asked.key[2] not in defaults:
        return None
    default = defaults[asked.key[2]]
    if word == "is none":
        return default is None
    compared = COMPARISONS.get(word.removeprefix("compare "))
    other = parts[1] if len(parts) > 1 else None
    return compared(default, other) if compared and type(default) is type(other) is int else None
