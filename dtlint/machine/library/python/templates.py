"""What does a text say whose places are filled in: an f-string, `"{}.pt".format(name)`, `"%s.pt" % name`?"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any

from dtlint.machine.contents import plain
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.contents.truth import spelled
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import files
from dtlint.machine.values import CONTAINERS, NONE, Const, Object, Row, Tuple, Value

DIRECTIVE = re.compile(r"%(?P<named>\(\w*\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])")
LONGEST = 300


def put_together(machine: Machine, pieces: tuple[Value, ...], mask: int) -> Value:
    """The pieces of a text one after the other, lane by lane: a number is written as it is."""
    from dtlint.machine.library.python import reflection

    spoken = (files.spoken(reflection.said(machine, numbered(piece), mask)) for piece in pieces)
    parts = tuple(written_out(machine, piece, mask) for piece in spoken)

    def one(*held: Value) -> Value:
        if all(isinstance(part, Const) and part.scale in (None, "rank") for part in held):
            return Const("".join(str(part.value) for part in held)[:LONGEST])  # type: ignore[attr-defined]
        return spelled(opaque(machine, "text", *held))

    return map_lanes(one, parts, machine.world) if parts else Const("")


CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}


def in_its_way(machine: Machine, value: Value, conversion: str | None, spec: Value, mask: int) -> tuple[Value, ...]:
    """`{step:05d}`, `{name!r}`: as it is written, or the value itself where that is not known, and what the way is made
    of."""
    convert = CONVERSIONS.get(conversion, lambda thing: thing)
    if isinstance(value, Const | Row | Tuple) and value != NONE:
        made = plain.computed(machine, lambda thing, how: format(convert(thing), how), (value, spec), mask)
        if made is not None and getattr(value, "scale", None) in (None, "rank"):
            return (made,)
    return (value,) if isinstance(spec, Const) else (value, spec)


def written_out(machine: Machine, piece: Value, mask: int) -> Value:
    """`f"{sizes}"`: a list of which every item is known is written with them."""
    several = isinstance(piece, Tuple) or (isinstance(piece, Object) and piece.kind in CONTAINERS)
    return (plain.computed(machine, str, (piece,), mask) if several else None) or piece


def numbered(piece: Value) -> Value:
    """`f"{device}"`: a device is written with the number it was made with."""
    made = piece.facts.get("call") if isinstance(piece, Object) and piece.kind == "torch.device" else None
    written = (made.get("index") or made.get("type")) if isinstance(made, Invocation) else None
    return piece if written is None else written


def formatted(machine: Machine, template: str, call: Invocation) -> Value | None:
    """`template.format(…)`, unless it asks its arguments for their parts or takes widths from them."""
    named, turn = dict(call.keywords), 0
    pieces: list[Value] = []
    try:
        fields = list(Formatter().parse(template))
    except ValueError:
        return None
    for literal, field, width, _ in fields:
        if literal:
            pieces.append(Const(literal))
        if field is None:
            continue
        if "{" in (width or ""):
            return None
        place = field or str(turn)
        turn += not field
        value = call.arguments[int(place)] if place.isdigit() and int(place) < len(call.arguments) else named.get(place)
        if value is None:
            return None
        pieces.append(value)
    return put_together(machine, tuple(pieces), call.mask)


def interpolated(machine: Machine, template: str, given: Value, mask: int) -> Value | None:
    """`template % given`, where it takes what stands there and nothing by its name."""
    made = plain.computed(machine, operator.mod, (Const(template), given), mask)
    if made is not None:
        return made
    values = given.items if isinstance(given, Tuple) else (given,)
    directives = [found for found in DIRECTIVE.finditer(template) if found["kind"] != "%"]
    if len(directives) != len(values) or any(found["named"] or "*" in found[0] for found in directives):
        return None
    return put_together(machine, tuple(pieces_of(template, iter(values))), mask)


def pieces_of(template: str, values: Iterator[Value]) -> Iterator[Value]:
    end = 0
    for found in DIRECTIVE.finditer(template):
        if found.start() > end:
            yield Const(template[end : found.start()])
        end = found.end()
        yield Const("%") if found["kind"] == "%" else next(values)
    if end < len(template):
        yield Const(template[end:])
