"""What was given to the program on its command line: all ranks have the same."""

from __future__ import annotations

from dtlint.machine.values import Symbol

PARSED = "argparse.ArgumentParser.parse_args"
COMPUTED = ("op ", "compare ", "is none", "not", "attr", "item", "and", "or")


def settled(symbol: Symbol) -> bool:
    """Is it computed on the spot of what was given to the program, and of nothing else?"""
    word = symbol.key[0]
    if word == PARSED:
        return True
    inner = [part for part in symbol.key[1:] if isinstance(part, Symbol)]
    return word.startswith(COMPUTED) and bool(inner) and all(map(settled, inner))
