"""Does a question ask what kind of thing a batch is, rather than what is in it?

`torch.is_tensor(batch)`, `batch.dtype == torch.long`, `images.dim() == 4`, `images.shape[1] == 3`: batches of one
loader are all of one kind, so the answer is the same in each step.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.names.attributes import ALIKE
from dtlint.machine.values import Symbol

# computed anew in each turn of the training loop
TURNS = frozenset({"index", "batch", "turn", "number", "loop"})
CHANGING = TURNS | {"source", "drawn", "time", "item"}
KIND = "kind"  # first word of the symbol of what a library says of the kind of a thing
ASKED = frozenset({KIND, "isinstance", "hasattr", "builtins.type"})


def varies(symbol: Symbol) -> bool:
    """Is it made of something that may be another thing in the next step?"""
    return any(one.key[0] in CHANGING and not names_a_setting(one) for one in symbols_in(symbol))


def names_a_setting(symbol: Symbol) -> bool:
    """`config["distill"]`: what stands under a name changes with the table it is in, no sooner; nor does the first of
    what stands there, `config["sampling"][0]`."""
    if symbol.key[0] != "item" or len(symbol.key) != 3:
        return False
    _, table, index = symbol.key
    return isinstance(index, str) or (isinstance(index, int) and isinstance(table, Symbol) and names_a_setting(table))


def asks_kind(asked: Symbol) -> bool:
    word, *parts = asked.key
    if word in ("not", "and", "or"):
        return all(isinstance(part, Symbol) and asks_kind(part) for part in parts)
    if str(word).startswith("compare ") and len(parts) == 2:
        others = [part for part in parts if not is_kind(part)]
        known = not any(isinstance(part, Symbol) and varies(part) for part in others)
        return asks_channels(word, *parts) or (known and len(others) < 2)
    return is_kind(asked)


def is_kind(part: Any) -> bool:
    """`type(x)`, `x.dtype`, `x.dim()`, `len(x.shape)`"""
    if not isinstance(part, Symbol):
        return False
    method = method_of(part)
    if method is not None:
        return method[1] in ALIKE
    word, *given = part.key
    if word == "len":
        return is_shape(given[0])
    return word in ASKED or (word == "attr" and (given[1] in ALIKE - {"shape"} or is_kind(given[0])))


def is_shape(part: Any) -> bool:
    """`x.shape`, `x.size()`"""
    return isinstance(part, Symbol) and (part.key[::2] in (("attr", "shape"), ("size",)))


def asks_channels(word: str, size: Any, number: Any) -> bool:
    """`x.shape[1] == 3`, `x.size(-1) != self.width`: how many channels a batch has, against a number that is written
    down or that a layer has. Batches of one loader have as many each; how long and how large they are is another
    question."""
    if word not in ("compare ==", "compare !=") or not isinstance(size, Symbol):
        return False
    kind, *given = size.key
    shape = kind == "item" and isinstance(given[0], Symbol) and given[0].key[::2] == ("attr", "shape")
    if not shape and kind != "size":
        return False
    if isinstance(number, Symbol):  # of the last axis a layer has been made with its size
        return given[1:] == [-1] and not varies(number)
    return type(number) is int and given[1:] in ([1], [-1])
