"""Whose batch size is this number: of all ranks together, or of one?

Dividing by the number of ranks makes one rank's share of something; doing it twice, or by the devices of this node,
makes the wrong share. Divisions and multiplications by sizes of the world are remembered as they happen, so that a rule
can walk back from the number a loader was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import Const, Row, Symbol, Unknown, Value

SIZES = frozenset({"world", "local", "group", "nodes"})
WHOLE = ("global", "total", "effective")
PART = ("micro", "device", "gpu", "rank", "local")
LENGTH = frozenset({"length", "len", "seq", "seqlen", "sequence", "block", "context", "window"})
OPERATORS = frozenset({"//", "/", "*", "+", "-", "%"})


@dataclass(frozen=True, slots=True)
class Share:
    """One division or multiplication that concerns the number of ranks, or a number called global."""

    op: str
    left: Value
    right: Value
    result: Value
    path: str
    at: Any
    scope: str
    text: str  # the left operand as written
    spelled: str  # the right operand as written

    @property
    def by(self) -> str:
        """What it is divided by: world, local, group, nodes, or "" for a plain number."""
        scale = self.right.scale if isinstance(self.right, Const) else None
        return scale if scale in SIZES and scale is not None else ""


@dataclass(frozen=True, slots=True)
class Total:
    """`total % (size * world)`: who asks that says the number is one of all ranks together."""

    number: Value
    taken: Value  # by all ranks at once
    path: str
    at: Any
    scope: str


TOTALS = "totals"  # fact: numbers of which the program asks whether all ranks together take them up
SET_FOR_ONE = "set for one rank"  # fact: by its identity, a number that a setting keeps for one rank
OF_ONE = "taken by one"  # fact: by its identity, what one rank takes at once times its length
NOTHING_LEFT = "rank products of nothing"  # fact: `seed * rank` with a seed of 0, and where


def noticed(machine: Machine, node: ir.BinOp | ir.AugAssign, left: Value, right: Value, result: Value) -> None:
    first, second = (node.left, node.right) if isinstance(node, ir.BinOp) else (node.target, node.value)
    if isinstance(left, Row) or isinstance(right, Row):
        if node.op == "*":
            frame = machine.frame
            place = (frame.path, getattr(node, "at", None) or machine.current_at, frame.scope)
            known = "rank products" if isinstance(result, Row) else NOTHING_LEFT
            machine.facts.setdefault(known, []).append((result, place))
        return
    if node.op == "%":
        if isinstance(node, ir.BinOp) and any(map(is_world, factors(token(right)))):
            frame = machine.frame
            total = Total(left, right, frame.path, machine.current_at, frame.scope)
            machine.facts.setdefault(TOTALS, []).append(total)
        return
    if node.op in ("+", "-"):
        if isinstance(left, Const) and left.scale in SIZES:
            off_by(machine, node.op, right, result)
        return
    if (
        node.op == "*"
        and any(is_part_name(last_name(one)) for one in (first, second))
        and names_a_length(first, second)
    ):
        machine.facts.setdefault(OF_ONE, {})[id(result)] = result
    sized = isinstance(right, Const) and right.scale in SIZES
    swapped = node.op == "*" and isinstance(left, Const) and left.scale in SIZES and not sized
    whole = node.op in ("//", "/") and (says_whole(first) or is_total(machine, left))
    if not sized and not swapped and not whole:
        return
    from dtlint.ir.text import render

    if swapped:
        left, right, first, second = right, left, second, first
    at = getattr(node, "at", None) or machine.current_at
    frame = machine.frame
    made = Share(node.op, left, right, result, frame.path, at, frame.scope, render(first), render(second))
    machine.facts.setdefault("shares", []).append(made)


def names_a_length(*factors: ir.Expr) -> bool:
    """One that says how long each sample is, and no number of ranks: `sequence_length`, `block_size`"""
    return any(not LENGTH.isdisjoint(last_name(one).lower().split("_")) for one in factors)


def last_name(node: ir.Expr) -> str:
    return node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attr) else ""


def is_total(machine: Machine, number: Value) -> bool:
    return any(same_number(number, total.number) for total in machine.facts.get(TOTALS, ()))


def is_world(factor: Any) -> bool:
    return isinstance(factor, tuple) and len(factor) == 3 and factor[-1] == "world"


def factors(product: Any) -> Iterator[Any]:
    """Of `micro * length * world`, as it stands in the key of a symbol."""
    if isinstance(product, Symbol) and product.key[0] == "op *":
        for part in product.key[1:3]:
            yield from factors(part)
    else:
        yield product


def is_share_of_one(part: Value, total: Total, world: int) -> bool:
    """Do all ranks together take just so many times as much as there are ranks?"""
    if isinstance(part, Const) and isinstance(total.taken, Const):
        return part.scale is None and isinstance(part.value, int) and part.value * world == total.taken.value
    taken = Counter(factors(token(total.taken)))
    return any(is_world(one) and taken == Counter([one, *factors(token(part))]) for one in taken)


def off_by(machine: Machine, sign: str, right: Value, result: Value) -> None:
    """`devices - 1`: a number that is not the one of the devices, though it grows with it."""
    if isinstance(right, Const) and not right.scale and right.value:
        machine.facts.setdefault("off by", []).append((result, f"{sign} {right.value}"))


def named(machine: Machine, name: str, value: Value, inside: Frame | None = None) -> None:
    """A number gets a name that says it counts the samples of all ranks, here or in what is called with it."""
    if isinstance(value, Const) and type(value.value) is int and not value.scale and is_whole_name(name):
        frame = inside or machine.frame
        place = (frame.path, machine.current_at, frame.scope)
        machine.facts.setdefault("whole", {})[id(value)] = (value, place)


def read(machine: Machine, name: str, value: Const) -> None:
    """`total_batch = config.batch_size_per_gpu`: a setting that says it is of one rank is so under any other name."""
    if is_part_name(name):
        machine.facts.setdefault(SET_FOR_ONE, {})[id(value)] = value
    named(machine, name, value)


def says_whole(node: ir.Expr) -> bool:
    """A name that says it counts the samples of all ranks: `global_batch_size`, `args.total_batch`."""
    return is_whole_name(last_name(node))


def is_whole_name(name: str) -> bool:
    """`batch_gpu_total` has all that one GPU takes."""
    return names_a_batch(name, WHOLE) and not is_part_name(name)


def is_part_name(name: str) -> bool:
    """`micro_batch_size`, `per_device_train_batch_size`: what one rank takes at once."""
    return names_a_batch(name, PART)


def names_a_batch(name: str, said: tuple[str, ...]) -> bool:
    words = name.lower().replace("-", "_").split("_")
    return "batch" in words and any(word in words for word in said)


def same_number(value: Value, other: Value) -> bool:
    if value is other:
        return True
    if isinstance(value, Const) and isinstance(other, Const):
        return bool(value.scale) and value.scale == other.scale and value == other and not isinstance(value.value, bool)
    if isinstance(value, Unknown) and isinstance(other, Unknown):
        if value.symbol is other.symbol:
            return True
        key = value.symbol.key  # int(x / world)
        return key[0] in ("builtins.int", "builtins.round", "builtins.max") and other.symbol in key[1:]
    return False


def history(shares: list[Share], value: Value | None) -> Iterator[Share]:
    """The divisions and multiplications that made this number, latest first."""
    seen = 0
    while value is not None and seen < 8:
        seen += 1
        # of two that came to the same in the imaginary world, the one that is this number itself
        made = next((share for share in reversed(shares) if value is share.result), None)
        made = made or next((share for share in reversed(shares) if same_number(value, share.result)), None)
        if made is None:
            return
        yield made
        value = made.left
