"""Which functions of Python's own library do nothing but compute, so that Python can be asked what they give?"""

from __future__ import annotations

import fnmatch
import itertools
import json
import math
import posixpath
import re
import shlex
import string
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from dtlint.machine.contents import plain
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Value


def some(walk: Iterator[Any]) -> list[Any]:
    """As many as anybody looks at, and one more."""
    return list(itertools.islice(walk, plain.MOST + 1))


SOON = 10_000_000  # steps that a search may take
REPEATS = re.compile(r"[*+?{]")
REPEATED_PARTS = re.compile(r"\)\s*[*+{]")


def soon(search: Callable[..., Any]) -> Callable[..., Any]:
    """`re.match("(a?){40}a{40}", 40 * "a")` doesn't come to its end: each repeat may stop at any place of the text, and
    one within another at any of these once more."""

    def ask(*given: Any, **named: Any) -> Any:
        pattern, *texts = (*given, *named.values()) if given else (named.pop("pattern"), *named.values())
        length = max(2, *(len(text) for text in texts if isinstance(text, str | bytes)), 2)
        written = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        if REPEATED_PARTS.search(written) or length ** (1 + len(REPEATS.findall(written))) > SOON:
            raise TimeoutError(pattern)
        return search(pattern, *given[1:], **named)

    ask.__name__ = search.__name__
    return ask


SEARCHES: tuple[Callable[..., Any], ...] = (
    *(re.findall, re.fullmatch, re.match, re.search),
    *(re.split, re.sub, re.subn),
)

# of each module those that look at nothing but what they are given, and are done at once
COMPUTING: dict[str, tuple[Any, ...]] = {
    "builtins": (abs, ascii, bin, chr, float, format, hex, int, max, min, oct, ord, repr, round, str, sum),
    "math": (
        *(math.acos, math.asin, math.atan, math.atan2, math.copysign, math.cos, math.cosh, math.degrees, math.dist),
        *(math.exp, math.expm1, math.fabs, math.floor, math.fmod, math.fsum, math.gcd, math.hypot, math.isclose),
        *(math.isfinite, math.isinf, math.isnan, math.isqrt, math.lcm, math.log, math.log10, math.log1p, math.log2),
        *(math.prod, math.radians, math.sin, math.sinh, math.sqrt, math.tan, math.tanh, math.trunc),
    ),
    "os.path": (
        *(posixpath.basename, posixpath.commonpath, posixpath.commonprefix, posixpath.isabs, posixpath.normcase),
        *(posixpath.splitdrive, posixpath.splitext),
    ),
    "re": (re.escape, *map(soon, SEARCHES)),
    "json": (json.dumps, json.loads),
    "fnmatch": (fnmatch.filter, fnmatch.fnmatch, fnmatch.fnmatchcase, fnmatch.translate),
    "shlex": (shlex.join, shlex.quote, shlex.split),
    "textwrap": (textwrap.dedent, textwrap.fill, textwrap.indent, textwrap.shorten),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f"{home}.{function.__name__}": function for home, several in COMPUTING.items() for function in several},
    "itertools.accumulate": lambda *given: some(itertools.accumulate(*given)),
}


# what is the same on every machine that anybody trains on
CONSTANTS: dict[str, Any] = {
    **{f"math.{name}": getattr(math, name) for name in ("pi", "e", "tau")},
    **{f"os.{name}": getattr(posixpath, name) for name in ("sep", "pathsep", "curdir", "pardir", "extsep")},
    **{f"string.{name}": value for name, value in vars(string).items() if isinstance(value, str) and name[0] != "_"},
    "os.path.sep": posixpath.sep,
    "os.linesep": "\n",
}


def computed(machine: Machine, call: Invocation) -> Value | None:
    """`os.path.basename("runs/7.pt")`, `math.log(8, 2)`, `re.sub(…)` of what is known to its last part."""
    function = FUNCTIONS.get(call.name)
    if function is None or call.receiver is not None or any(name is None for name, _ in call.keywords):
        return None
    named = {str(name): value for name, value in call.keywords}
    return plain.computed(machine, function, call.arguments, call.mask, **named)


# methods that change nothing, of the kinds of things that a constant may be
METHODS: dict[type, frozenset[str]] = {
    kind: frozenset(name for name in vars(kind) if not name.startswith("_")) - {"maketrans", "format_map", "to_bytes"}
    for kind in (str, bytes, int, float, tuple, re.Match)
}


def method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`name.split("_")`, `re.match(…).group(1)`, of what is known to its last part."""
    if any(key is None for key, _ in call.keywords):
        return None
    named = {str(key): value for key, value in call.keywords}

    def ask(thing: Any, *given: Any, **more: Any) -> Any:
        if name not in METHODS.get(type(thing), ()):
            raise LookupError(name)
        return getattr(thing, name)(*given, **more)

    return plain.computed(machine, ask, (receiver, *call.arguments), call.mask, **named)
