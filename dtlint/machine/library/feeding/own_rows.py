"""Has what was computed as many rows as the part of the data that this rank took for itself?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.containers import UNEVEN
from dtlint.machine.contents.presence import ARRAYS
from dtlint.machine.library.computing.tensors import KEEPS_ROWS, all_rows, method_of
from dtlint.machine.values import Symbol, Unknown, Value

CUT = ("slice", "piece")
ALONG = frozenset({"sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "prod", "std", "var", "norm"})
EACH = frozenset(
    {"sigmoid", "tanh", "exp", "log", "abs", "sqrt", "relu", "gelu", "softmax", "log_softmax", "normalize", "sign"}
    | {"from_numpy", "asarray", "as_tensor", "squeeze", "unsqueeze", "detach"}
)
OF_LAYERS = frozenset({"torch.nn.functional", "jax.nn"})


def of_uneven_share(value: Value) -> bool:
    """`rows[rank::world]`, and what was made of it row by row: it is longer on some ranks, as far as can be seen."""
    if not isinstance(value, Unknown) or value.cause is None:
        return False
    return value.cause.kind == "shard" and UNEVEN in value.tags and keeps_rows(value.symbol)


def keeps_rows(part: Any) -> bool:
    if not isinstance(part, Symbol):
        return False
    key = part.key
    what = str(key[0])
    if what in CUT:
        return any(isinstance(bound, tuple) and len(set(bound)) > 1 for bound in key[2:])
    method = method_of(part)
    if method is not None:
        owner, name = method
        return (name in KEEPS_ROWS or name in EACH or (name in ALONG and along_others(key[2:]))) and keeps_rows(owner)
    if what == "call":  # a layer gives a row for each
        named = isinstance(key[1], str) and key[1].startswith("torch.nn.") and not key[1].endswith("Loss")
        return named and any(map(keeps_rows, key[2:3]))
    if what == "item":
        return len(key) > 2 and all_rows(key[2]) and keeps_rows(key[1])
    if what.startswith(("op ", "unary ", "compare ")):
        return any(map(keeps_rows, key[1:2] if what == "op @" else key[1:]))
    package, _, name = what.rpartition(".")
    each = name in EACH or (name in ALONG and along_others(key[2:]))
    return package in ARRAYS | OF_LAYERS and each and any(map(keeps_rows, key[1:2]))


def along_others(given: tuple[Any, ...]) -> bool:
    """`scores.max(dim=1)`: over the parts of each row, not over the rows."""
    return bool(given) and type(given[0]) is int and given[0] != 0
