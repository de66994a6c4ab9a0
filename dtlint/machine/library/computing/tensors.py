"""Tensors as objects: what they hold, and which methods change, copy or reveal it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.number_types import COUNTED, type_called
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.contents.presence import ARRAYS
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import elements, marks
from dtlint.machine.library.feeding import whole_batches
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Const, Object, Row, Symbol, Unknown, Value, content

KIND = "torch.Tensor"
UNFILLED = "uninitialised"  # what a tensor holds that nothing has been put into
FILLED = {
    "torch.zeros": 0,
    "torch.ones": 1,
    "torch.zeros_like": 0,
    "torch.ones_like": 1,
}
FROM_VALUE = (
    "torch.tensor",
    "torch.as_tensor",
    "torch.FloatTensor",
    "torch.LongTensor",
    "torch.IntTensor",
    "torch.Tensor",
    "torch.BoolTensor",
)
MADE_BESIDE = {  # methods that make a new tensor on the device of another, and of its type
    "new_zeros": "torch.zeros",
    "new_ones": "torch.ones",
    "new_empty": "torch.empty",
    "new_full": "torch.full",
    "new_tensor": "torch.tensor",
}
ALIASES = frozenset(
    {"detach", "view", "view_as", "reshape", "squeeze", "unsqueeze", "flatten", "contiguous", "requires_grad_", "data"}
)
COPIES = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "float",
        "double",
        "half",
        "bfloat16",
        "int",
        "long",
        "bool",
        "clone",
        "type",
        "pin_memory",
        "numpy",
    }
)
COUNTS = frozenset({"numel", "nelement", "size", "dim"})
REVEALS = frozenset({"item", "tolist", "all", "any", "sum", "mean", "max", "min"})
FILLED_ANEW = ("fill_", "copy_")  # nothing of what was there is left


def make(machine: Machine, content: Value, mask: int) -> Object:
    made = machine.new(KIND, mask)
    made.attributes["content"] = content
    return made


# makers of arrays that are told a size and nothing else: what they make differs in size or not at all
SIZE_ONLY = frozenset(f"{package}.{name}" for package in ("jax.numpy", "numpy") for name in ("ones", "zeros", "empty"))
SIZED = frozenset(
    {"torch.zeros", "torch.ones", "torch.empty", "torch.full", "torch.rand", "torch.randn", "torch.arange"}
)


SIZE_OF = "size of"  # first word of the symbol of a size; the last one is what is in the tensor
OWN_ROWS = "rows of as many parts as this rank has"
OWN_WIDTH = "as wide as the longest row of this rank"
SELECTS = frozenset({"masked_select", "nonzero", "argwhere", "unique", "unique_consecutive"})
TALLIES = frozenset({"bincount"})  # one number for each value up to the largest, where nobody says how many there are
ONE_COLUMN_EACH = frozenset({"torch.nn.functional.one_hot"})
SUMS = frozenset({"sum", "mean", "amax", "max"})
AS_ARRAY = frozenset({"torch.from_numpy", "numpy.asarray", "numpy.array", "jax.numpy.asarray", "jax.numpy.array"})
SUPPRESSED = frozenset({"torchvision.ops.nms", "torchvision.ops.batched_nms"})
ELLIPSIS = Const(Ellipsis)
ASKS = frozenset({"eq", "ne", "gt", "ge", "lt", "le", "isfinite", "isnan", "isinf", "logical_and", "logical_or"})
KEEPS_ROWS = (ALIASES - {"view", "view_as", "reshape"}) | COPIES
KEEPS_LENGTH = KEEPS_ROWS | {"tolist", "numpy"}


def counted_by_content(symbol: Symbol) -> bool:
    """`x[x > 0]`, `torch.nonzero(x)`: how many rows it has depends on what the tensor holds."""
    key = symbol.key
    if key[0] == OWN_ROWS:
        return True
    method = method_of(symbol)
    if method is not None:
        owner, name = method
        if name in SELECTS or (name in TALLIES and len(key) == 2):
            return True
        if name in SUMS and key[2:3] == (0,):
            return isinstance(owner, Symbol) and wide_by_content(owner)
        in_parts = name in CUT_BY_SIZE and is_size(key[2:3])
        return (name in KEEPS_LENGTH or in_parts) and isinstance(owner, Symbol) and counted_by_content(owner)
    if key[0] == "item" and len(key) > 2:
        chosen = key[2]
        if type(chosen) is int:
            return isinstance(key[1], Symbol) and gives_several(key[1])
        if isinstance(chosen, Symbol):
            return is_question(chosen) or counted_by_content(chosen)
        if isinstance(chosen, tuple) and chosen and isinstance(chosen[0], Symbol):
            return is_question(chosen[0])  # `x[x > 0, 0]`
        return all_rows(chosen) and isinstance(key[1], Symbol) and counted_by_content(key[1])
    if str(key[0]).startswith("op "):
        sides = key[1:2] if key[0] == "op @" else key[1:]
        return any(isinstance(side, Symbol) and counted_by_content(side) for side in sides)
    package, _, name = str(key[0]).rpartition(".")
    if key[0] in AS_ARRAY:
        return len(key) > 1 and isinstance(key[1], Symbol) and counted_by_content(key[1])
    if package in ARRAYS and name in TALLIES:
        return len(key) == 2
    if package in ARRAYS and name in CUT_BY_SIZE:
        return is_size(key[2:3]) and isinstance(key[1], Symbol) and counted_by_content(key[1])
    return (package in ARRAYS and name in SELECTS) or key[0] in SUPPRESSED


def is_size(told: tuple[Any, ...]) -> bool:
    """`rows.split(16)`: so many parts as there are rows for; a list of sizes says itself how many."""
    return any(type(one) is int or (isinstance(one, Symbol) and one.numbers == "int") for one in told)


def gives_several(symbol: Symbol) -> bool:
    """`unique(x, return_counts=True)`, `where(x > 0)`: a tuple of tensors that are all as long as what was found."""
    method = method_of(symbol)
    package, _, last = str(symbol.key[0]).rpartition(".")
    if method is None and package not in ARRAYS:
        return False
    name, more = (method[1] if method is not None else last), len(symbol.key) > 2
    if name == "where":
        return method is None and not more
    return name in SELECTS and (more or (package == "numpy" and name == "nonzero"))


def wide_by_content(symbol: Symbol) -> bool:
    """`model.generate(prompts)[:, width:]`, `one_hot(labels)`: how long a row is depends on what this rank has."""
    key = symbol.key
    if key[0] == OWN_WIDTH:
        return True
    method = method_of(symbol)
    if method is not None:
        owner, name = method
        return name in KEEPS_ROWS and isinstance(owner, Symbol) and wide_by_content(owner)
    if key[0] in ONE_COLUMN_EACH:
        return len(key) == 2
    cut_open = key[0] == "item" and len(key) > 2 and all_rows(key[2]) and key[2][1:2] and is_open(key[2][1])
    named = key[0] == "attr" and key[2:] == ("sequences",)
    return bool(cut_open or named) and isinstance(key[1], Symbol) and wide_by_content(key[1])


def is_open(index: Any) -> bool:
    """`[3:]`: all that follows."""
    return isinstance(index, tuple) and len(index) == 4 and index[0] == "slice" and index[2] is None


def all_rows(index: Any) -> bool:
    """`x[:, :4]`, `x[..., 0]`"""
    return isinstance(index, tuple) and bool(index) and index[0] in (("slice", None, None, None), token(ELLIPSIS))


def is_question(symbol: Symbol) -> bool:
    """A comparison, element by element, a part of one, or what was made one of truths."""
    key = symbol.key
    what = str(key[0])
    if symbol.numbers == "bool":
        return True
    if what == "unary ~":
        return isinstance(key[1], Symbol) and key[1].key[0] not in COUNTED  # `x[~1]` is a row from the end
    if what in ("not", "op &", "op |"):
        return all(isinstance(part, Symbol) and is_question(part) for part in key[1:])
    if what == "slice" or (what == "item" and len(key) == 3 and is_cut(key[2])):
        return isinstance(key[1], Symbol) and is_question(key[1])
    method = method_of(symbol)
    if method is not None and method[1] in ("bool", *AS_TYPE) and made_truths(method[1], key[2:]):
        return True
    if method is not None and method[1] in ALIASES | KEEPS_TYPE:
        return isinstance(method[0], Symbol) and is_question(method[0])
    name = method[1] if method is not None else what.rpartition(".")[2]
    return name in ASKS or (what.startswith("compare ") and what.rpartition(" ")[2] in COMPARED)


def made_truths(name: str, given: tuple[Any, ...]) -> bool:
    """`mask.bool()`, `mask.to(torch.bool)`, `mask.astype(bool)`"""
    return name == "bool" or any(type_called(one) == "bool" for one in given)


def is_cut(index: Any) -> bool:
    """`[:, 1:]`, `[..., :-1]`"""
    return isinstance(index, tuple) and all(
        isinstance(one, tuple) and (one[:1] == ("slice",) or one == token(ELLIPSIS)) for one in index
    )


AS_TYPE = ("to", "type", "astype")
KEEPS_TYPE = frozenset({"to", "cuda", "cpu", "clone", "numpy", "pin_memory"})
CUT_BY_SIZE = frozenset({"split"})
CUT_INTO = frozenset({"chunk", "tensor_split", "array_split"})
COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})


def pieces(symbol: Symbol) -> int | Symbol | None:
    """How many parts `x.chunk(n)` and `torch.tensor_split(x, n)` are taken to give. What is too short to be cut into so
    many was not meant to be."""
    method = method_of(symbol)
    package, _, last = str(symbol.key[0]).rpartition(".")
    name = method[1] if method is not None else last
    if name not in CUT_INTO or (package and package not in ARRAYS) or len(symbol.key) < 3:
        return None
    number = symbol.key[2]
    if isinstance(number, Symbol) and name == "chunk":
        return number
    return number if type(number) is int else None  # of the others it may be where to cut


def method_of(symbol: Symbol) -> tuple[Any, str] | None:
    """What a method was called on, and which."""
    called = symbol.key[1] if symbol.key[0] == "call" and len(symbol.key) > 1 else None
    if isinstance(called, Symbol) and called.key[0] == "attr" and len(called.key) == 3:
        return called.key[1], str(called.key[2])
    return None


SIZES = "sizes"  # fact: of what it has the size
KEPT_BY_COPIES = ("shape", "length", SIZES, whole_batches.EXAMPLE)
PLAIN = "plain"  # fact: this was made of a size or of numbers, and so it lies on this rank alone
FIGURES = "figures"  # fact: this was made of numbers that the program has computed
TABLES = "tables of plain tensors"  # fact of the run: the numbers of dictionaries, and whether they hold nothing else


def put_into(machine: Machine, table: Object, value: Value) -> None:
    """A dictionary is given another item."""
    plain = is_plain(machine, value)
    known = machine.facts.get(TABLES)
    if plain and known is None:
        known = machine.facts[TABLES] = {}
    if known is not None:
        known[table.number] = plain and known.get(table.number, not has_items(table))


def has_items(table: Object) -> bool:
    return any(name == "[]" or type(name) is tuple for name in table.attributes)


def is_plain(machine: Machine, value: Value) -> bool:
    """Is it surely no tensor of which other ranks hold parts?"""
    if isinstance(value, Object):
        return bool(value.facts.get(PLAIN))
    tables: dict[int, bool] = machine.facts.get(TABLES, {})
    return isinstance(value, Unknown) and bool(tables) and of_plain(tables, value.symbol)


def of_plain(tables: dict[int, bool], part: Any) -> bool:
    """What was looked up in such a table, a copy of it, or what stands in another one that was filled with these."""
    if isinstance(part, tuple):
        return part[:1] == ("object",) and tables.get(part[1], False)
    if not isinstance(part, Symbol):
        return False
    method = method_of(part)
    if method is not None:
        return method[1] in ALIASES | COPIES and of_plain(tables, method[0])
    word, *inner = part.key
    if word == "attr":
        return inner[1:] == ["data"] and of_plain(tables, inner[0])
    if word == "phi":
        return len(inner) == 3 and all(of_plain(tables, side) for side in inner[1:])
    if word == "values":
        return all(of_plain(tables, one) for one in inner)
    return word == "item" and of_plain(tables, inner[0])


def construct(machine: Machine, call: Invocation) -> Value | None:
    made = constructed(machine, call)
    if isinstance(made, Object) and call.name in SIZED:
        made.facts[PLAIN] = True
    if isinstance(made, Object) and call.name in SIZED and call.arguments:
        given = call.arguments[:1] if call.name == "torch.full" else call.arguments
        sizes = containers.items_of(machine, call.arguments[0]) or given
        made.facts["length"] = sizes[0] if sizes else None
        made.facts[SIZES] = tuple(sizes)
        made.facts["shape"] = next((size.cause for size in sizes if size.cause is not None), None)
    if isinstance(made, Object) and call.name == FROM_VALUE[0]:
        made.facts[FIGURES] = True
    same = call.arguments[0] if call.arguments and call.name.endswith("_like") else None
    if isinstance(made, Object) and same is not None:
        made.facts[SIZES] = (same,)
    if isinstance(made, Object) and isinstance(same, Object) and same.facts.get("length") is not None:
        made.facts["length"] = same.facts["length"]
    elif isinstance(made, Object) and same is not None:
        whole_batches.like_batch(machine, made, same)
    if isinstance(made, Object) and call.name in FROM_VALUE:
        longer = containers.length_cause(machine, call.arguments[0])
        if longer is not None:
            made.facts["shape"] = longer
    if isinstance(made, Object):
        elements.describe(machine, made, call)
    return made


def made_beside(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """`x.new_zeros(4)`: of `x` it has the type and the device alone."""
    made = construct(machine, replace(call, name=MADE_BESIDE[name], receiver=None))
    if isinstance(made, Object) and call.get("dtype") is None:
        made.facts.pop(elements.TYPE, None)
        elements.of_same_type(made, receiver)
    return made


def constructed(machine: Machine, call: Invocation) -> Value | None:
    if call.name in FILLED:
        return make(machine, Const(FILLED[call.name]), call.mask)
    if call.name in ("torch.rand", "torch.randn", "torch.arange"):
        return make(machine, machine.fresh("drawn"), call.mask)
    if call.name in FROM_VALUE and call.arguments:
        return make(machine, single(machine, call.arguments[0]), call.mask)
    if call.name == "torch.full" and len(call.arguments) > 1:
        return make(machine, call.arguments[1], call.mask)
    if call.name in ("torch.empty", "torch.empty_like"):
        # what it holds until it is received into is nothing anybody decides on
        return make(machine, machine.fresh(UNFILLED), call.mask)
    return None


def single(machine: Machine, value: Value) -> Value:
    """`torch.tensor([flag])` holds the flag."""
    if isinstance(value, Object) and value.kind == KIND:
        return value.attributes.get("content", NONE)
    items = containers.items_of(machine, value)
    if items is not None and len(items) == 1:
        return single(machine, items[0])
    if items is not None:
        return opaque(machine, "tensor", *(content(item) for item in items[:8]))
    held = content(value.attributes["[]"]) if isinstance(value, Object) and "[]" in value.attributes else NONE
    return opaque(machine, "tensor", held) if isinstance(held, Unknown) and held.cause is not None else value


def method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    held = receiver.attributes.get("content", NONE)
    if name in ALIASES:
        return receiver
    if name in MADE_BESIDE:
        return made_beside(machine, receiver, name, call)
    if "running" in machine.facts:
        from dtlint.machine.library.meeting import works

        if name.endswith("_"):
            works.overwritten(machine, receiver, name)
        if tags := marks.deep_tags((held, *call.arguments)):
            works.computed(machine, name, (receiver, *call.arguments), tags)
    if name in COUNTS:
        cause = receiver.facts["shape"] if "shape" in receiver.facts else containers.length_cause(machine, held)
        what = (held.symbol,) if isinstance(held, Unknown) else ()
        return machine.unknown(SIZE_OF, receiver.number, name, *map(token, call.values), *what, cause=cause)
    if name in COPIES:
        made = make(machine, held, call.mask)
        made.facts.update((fact, receiver.facts[fact]) for fact in KEPT_BY_COPIES if fact in receiver.facts)
        elements.converted(receiver, made, name, call)
        return made
    if name in REVEALS and (isinstance(held, Const | Row) or not call.arguments):
        return held
    if name == "zero_" or (name in FILLED_ANEW and call.arguments):
        from dtlint.machine.library.computing import metrics

        if name == "copy_":
            whole_batches.into_buffer(machine, receiver, call)
        new = Const(0) if name == "zero_" else content(single(machine, call.arguments[0]))
        machine.set(receiver, "content", new, call.mask)
        metrics.emptied(machine, receiver, call.mask)
        return receiver
    if name == "backward":
        return None
    if name in ("items", "keys"):  # of the table that the other side of a branch has made of tensors
        from dtlint.machine.library.python import methods

        return methods.view_of_numbers(machine, held, name, call)
    result = opaque(machine, name, held, *(content(value) for value in call.values))
    if name.endswith("_") and not name.endswith("__"):
        machine.set(receiver, "content", result, call.mask)
        return receiver
    return result


def attribute(machine: Machine, receiver: Object, name: str) -> Value | None:
    if name in ("data", "T", "real"):
        return receiver
    if name in ("device", "dtype", "shape", "ndim", "is_cuda", "requires_grad"):
        return machine.unknown("tensor attribute", receiver.number, name)
    if name == "grad":
        return machine.unknown("grad", receiver.number)
    return None


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """Methods of values nobody knows, that change a variable in place: the variable gets the new value."""
    if name in ("fill_", "copy_", "zero_") and call.node is not None:
        from dtlint.machine.contents import in_place

        func = call.node.func
        new: Value = Const(0) if name == "zero_" else in_place.copied(call.arguments[0]) if call.arguments else NONE
        if isinstance(func, ir.Attr) and (
            isinstance(func.value, ir.Name | ir.Attr) or part_of_one(machine, func.value, call)
        ):
            copied_from(machine, name, receiver, call)
            if name == "copy_" and call.arguments:
                whole_batches.into_buffer(machine, receiver, call)
            in_place.changed(machine, func.value, receiver, new, call.mask)
            return new
    if name in MADE_BESIDE:
        return made_beside(machine, receiver, name, call)
    if name in ("reshape", "view") and isinstance(receiver, Unknown) and receiver.cause is None:
        # the same values in any form: the size of a rank's own part, which all have gathered, is the others' too
        if any(one.cause is not None and one.cause.kind == "data" for one in call.arguments):
            return machine.unknown(name, token(receiver), *map(token, call.arguments), tags=receiver.tags)
    return None


def part_of_one(machine: Machine, written: ir.Expr, call: Invocation) -> bool:
    """`bucket[start:end].copy_(part)`: this goes into the memory of the whole tensor."""
    if not isinstance(written, ir.Index):
        return False
    whole = machine.evaluate(written.value, call.mask)
    return isinstance(whole, Object) and whole.kind == "torch.Tensor"


def copied_from(machine: Machine, name: str, receiver: Value, call: Invocation) -> None:
    """`parameter.grad.copy_(part)`: what is copied has been read, on its way or not."""
    if "running" in machine.facts and (tags := marks.deep_tags(call.arguments)):
        from dtlint.machine.library.meeting import works

        works.computed(machine, name, (receiver, *call.arguments), tags)
