"""How is a lowered file kept, so that it need not be parsed again?

A tree is written in the order its nodes are finished: a list of small numbers that a stack machine replays, beside a
table of the constants and the places. Plain JSON text and integers: nothing in it can run, and damage is an error.
"""

from __future__ import annotations

import json
import sys
from array import array
from sys import intern
from typing import Any

from dtlint.ir import nodes
from dtlint.ir.stack import on_deep_stack, without_collector

VERSION = 1


class Damaged(ValueError):
    """These bytes are no stored tree of this version."""


_KINDS: tuple[type[nodes.Node], ...] = tuple(nodes.NODE_TYPES[name] for name in sorted(nodes.NODE_TYPES))
_KIND_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_ARITY = tuple(len(kind.__slots__) for kind in _KINDS)

# A number below the count of kinds makes a node; the next ones push, each with an operand behind it.
_TUPLE = len(_KINDS)
_SET = _TUPLE + 1
_PLACE = _TUPLE + 2
_NONE = _TUPLE + 3
_NAMED = _TUPLE + 4  # a whole `Name`: every third node is one
_FIRST = _TUPLE + 5  # constants from here on


def dump(module: nodes.Module) -> bytes:
    return on_deep_stack(_dump, module)


def _dump(module: nodes.Module) -> bytes:
    code: list[int] = []
    places: list[int] = []
    table: list[Any] = []
    numbers: dict[Any, int] = {}

    def number(value: Any) -> int:
        key = (value.__class__, value)
        known = numbers.get(key)
        if known is None:
            known = numbers[key] = len(table)
            table.append(_plain(value))
        return known

    def write(value: Any) -> None:
        kind = value.__class__
        if kind is nodes.Name:
            code.append(_NAMED)
            code.append(number(value.id))
        elif value is None:
            code.append(_NONE)
        elif kind in _KIND_NUMBERS:
            for name in kind.__slots__:
                if name == "at":
                    place = value.at
                    if place is None:
                        code.append(_NONE)
                    else:
                        code.append(_PLACE)
                        places.extend(place)
                else:
                    write(getattr(value, name))
            code.append(_KIND_NUMBERS[kind])
        elif kind is tuple:
            for item in value:
                write(item)
            code.append(_TUPLE)
            code.append(len(value))
        elif kind is frozenset:
            code.append(_SET)
            code.append(len(value))
            code.extend(sorted(map(number, value)))
        else:
            code.append(_FIRST + number(value))

    write(module)
    head = json.dumps([VERSION, sys.byteorder, len(code), len(places), table], separators=(",", ":")).encode("ascii")
    return b"%d\n%s%s%s" % (len(head), head, array("I", code).tobytes(), array("I", places).tobytes())


def _plain(value: Any) -> Any:
    """Constants as JSON: what JSON has no word for becomes a list of a tag and a text."""
    if value is True or value is False or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else ["int", hex(value)]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, complex):
        return ["complex", value.real.hex(), value.imag.hex()]
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    if value is ...:
        return ["..."]
    raise TypeError(f"no constant: {value!r}")


def _constant(plain: Any) -> Any:
    kind = plain.__class__
    if kind is str:
        return intern(plain)
    if kind is not list:
        return plain
    tag = plain[0]
    if tag == "int":
        return int(plain[1], 16)
    if tag == "float":
        return float.fromhex(plain[1])
    if tag == "complex":
        return complex(float.fromhex(plain[1]), float.fromhex(plain[2]))
    if tag == "bytes":
        return plain[1].encode("latin-1")
    if tag == "...":
        return ...
    raise Damaged(tag)


def load(data: bytes) -> nodes.Module:
    """Raises `Damaged`."""
    try:
        size, _, rest = data.partition(b"\n")
        head = int(size)
        version, order, code_length, places_length, plain = json.loads(rest[:head])
        if version != VERSION:
            raise Damaged("version")
        code, places = array("I"), array("I")
        width = code.itemsize
        if len(rest) != head + width * (code_length + places_length):
            raise Damaged("length")
        code.frombytes(rest[head : head + width * code_length])
        places.frombytes(rest[head + width * code_length :])
        if order != sys.byteorder:
            code.byteswap()
            places.byteswap()
        with without_collector():
            module = _replay(code.tolist(), places.tolist(), [_constant(value) for value in plain])
    except Damaged:
        raise
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, StopIteration, RecursionError) as error:
        raise Damaged(str(error)) from None
    if not isinstance(module, nodes.Module):
        raise Damaged("no module")
    return module


def _replay(code: list[int], flat_places: list[int], table: list[Any]) -> Any:
    stack: list[Any] = []
    push = stack.append
    numbers = iter(code)
    places = zip(*[iter(flat_places)] * 4, strict=True)
    kinds, arity, name_kind = _KINDS, _ARITY, nodes.Name
    for number in numbers:
        if number >= _FIRST:
            push(table[number - _FIRST])
        elif number == _NAMED:
            push(name_kind(table[next(numbers)]))
        elif number < _TUPLE:
            count = arity[number]
            if count == 1:
                stack[-1] = kinds[number](stack[-1])
            elif count:
                values = stack[-count:]
                del stack[-count:]
                push(kinds[number](*values))
            else:
                push(kinds[number]())
        elif number == _PLACE:
            push(next(places))
        elif number == _NONE:
            push(None)
        elif number == _TUPLE:
            count = next(numbers)
            if count:
                items = tuple(stack[-count:])
                del stack[-count:]
                push(items)
            else:
                push(())
        else:
            count = next(numbers)
            push(frozenset([table[next(numbers)] for _ in range(count)]))
    if len(stack) != 1:
        raise Damaged("unfinished")
    return stack[0]
