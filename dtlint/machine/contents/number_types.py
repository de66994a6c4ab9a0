"""Of what type are the numbers in an array or a tensor of which only is known how it was computed?

NumPy counts in double precision unless it is told otherwise, and so does what is computed of such an array alone. A
key is that of a symbol: what was done, and what with.
"""

from __future__ import annotations

from typing import Any

SPELLED_TYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}
TYPES = frozenset({*SPELLED_TYPES.values(), "bfloat16", "bool", "uint8", "int8"})
PYTHON_TYPES = {"builtins.float": "float64", "builtins.int": "int64", "builtins.bool": "bool"}
NUMPY_TYPES = {"double": "float64", "single": "float32", "half": "float16", "bool_": "bool", "float_": "float64"}
CONVERTS = (*SPELLED_TYPES, "bfloat16", "bool")
FLOATS = frozenset({"float16", "float32", "float64"})
COUNTED = ("number", "len", "builtins.int", "builtins.len")  # symbols of whole numbers
PLAIN = ("int", "float", "bool")  # of numbers that are written down
MADE = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "eye", "identity"))  # in double precision
TOLD = MADE | {f"numpy.{name}" for name in ("array", "asarray", "full", "arange", "frombuffer", "fromfile", "linspace")}
STAYS = frozenset(  # the type of the result is that of what it is computed of
    f"numpy.{name}"
    for name in (
        *("abs", "absolute", "add", "subtract", "multiply", "divide", "power", "sqrt", "square", "exp", "log", "log1p"),
        *("maximum", "minimum", "clip", "sum", "mean", "std", "var", "cumsum", "stack", "concatenate", "vstack"),
        *("hstack", "copy", "zeros_like", "ones_like", "empty_like", "reshape", "transpose", "squeeze", "nan_to_num"),
    )
) | {f"op {sign}" for sign in ("+", "-", "*", "/", "**")}
METHODS = frozenset(
    {"sum", "mean", "std", "var", "cumsum", "copy", "reshape", "ravel", "flatten", "transpose", "squeeze", "numpy"}
    | {"detach", "clone", "contiguous", "abs", "sqrt", "square", "exp", "log", "unsqueeze", "permute"}
)
CASTS = frozenset({"astype", "to", "type"})
SAME_NUMBERS = frozenset({"item", "slice", "torch.from_numpy"})


def numbers_in(part: Any) -> str | None:
    """The type of the numbers in what a symbol stands for."""
    key, kept = getattr(part, "key", None), getattr(part, "numbers", None)
    return kept or (of_key(key) if key is not None else None)


def of_key(key: tuple[Any, ...]) -> str | None:
    what, *given = key
    if what == "call":
        return of_method(key)
    if what in SAME_NUMBERS or (what == "attr" and key[-1] in ("T", "data")):
        return numbers_in(key[1])
    if what == "loop":
        return numbers_in(key[-1])
    if what in TOLD or what in STAYS:
        named = [found for one in given if (found := type_called(one)) is not None]
        if named:
            return named[0]
        if what in MADE:
            return "float64" if len(given) == 1 else None
        return together(given) if what in STAYS else None
    return None


def of_method(key: tuple[Any, ...]) -> str | None:
    """`x.double()`, `x.astype(np.float64)`, `x.sum(0)`"""
    method: tuple[Any, ...] = getattr(key[1], "key", ("",))
    if method[0] != "attr":
        return None
    name, given = method[-1], key[2:]
    if name in CONVERTS and not given:
        return SPELLED_TYPES.get(name, name)
    named = [found for one in given if (found := type_called(one)) is not None]
    if named:
        return named[0] if name in CASTS or name in METHODS else None
    return together((method[1], *given)) if name in METHODS else None


def together(parts: Any) -> str | None:
    """Arrays of one type and plain numbers make numbers of that type."""
    found = {kind_of(one) for one in parts if not is_plain(one)}
    kind = found.pop() if len(found) == 1 else None
    return kind if kind in FLOATS else None


def kind_of(part: Any) -> str | None:
    return together(part) if isinstance(part, tuple) else numbers_in(part)


def is_plain(part: Any) -> bool:
    """A number that takes the type of what it is combined with."""
    if part is None or type(part) is int:
        return True
    if isinstance(part, tuple):
        return bool(part) and (part[0] in PLAIN or all(map(is_plain, part)))
    return getattr(part, "key", ("",))[0] in COUNTED


PYTHON_NUMBERS = (*COUNTED, "index", "builtins.float")  # symbols of what is no array and no tensor
OF_NUMBERS = frozenset(f"op {sign}" for sign in ("+", "-", "*", "/", "//", "%", "**")) | {"builtins.round"}


def is_python_number(part: Any) -> bool:
    """`int(x)`, `len(x) / 2`, `round(float(x), 1)`"""
    key = getattr(part, "key", None)
    if key is None:
        return type(part) in (int, float) or (isinstance(part, tuple) and bool(part) and part[0] in PLAIN)
    if key[0] in OF_NUMBERS:
        return all(map(is_python_number, key[1:]))
    return key[0] in PYTHON_NUMBERS


def type_called(name: Any) -> str | None:
    """`np.float64`, `torch.double`, `float`, `"float32"`, by the name that is given."""
    if not isinstance(name, str):
        return None
    if name in PYTHON_TYPES:
        return PYTHON_TYPES[name]
    package, _, last = name.rpartition(".")
    spelled = {"torch": SPELLED_TYPES, "numpy": NUMPY_TYPES}.get(package, {})
    found = spelled.get(last, last) if package in ("", "torch", "numpy") else ""
    return found if found in TYPES else None
