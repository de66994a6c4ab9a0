"""What does an annotation say of a value that nobody can follow?

`trainer: Trainer = instantiate(config)`, and what is handed to `def save(trainer: Trainer)`: from there on the value is
asked like one of this type of a library, for what the library is known to have there.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import last_name
from dtlint.machine.core import Machine
from dtlint.machine.names import for_checkers
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import External, Object, Unknown, Value

SAID = "said types"


def heard(machine: Machine, value: Value, annotation: ir.Expr | None, frame: Frame) -> None:
    """The annotation of a name, or of the parameter that the value is handed to."""
    if not isinstance(value, Unknown) or value.like is not None or value.cause is not None:
        return
    for one in (annotation, optional(annotation)):
        words = expression_of(one)
        if words is not None and last_word(words) in type_names(machine):
            said = meant(machine, words, frame)
            if isinstance(said, External) and said.name in machine.knowledge.types:
                known = machine.facts.setdefault(SAID, {})
                if value.symbol not in known:
                    from dtlint.machine.library.training import parts

                    known[value.symbol] = machine.new(machine.knowledge.canonical(said.name), machine.world.full)
                    parts.stands_for(machine, value.symbol, known[value.symbol])
                return


def like(machine: Machine, value: Unknown, name: str) -> Object | None:
    """The thing it was said to be, where such a thing is known to have this attribute or method."""
    said: Object | None = machine.facts.get(SAID, {}).get(value.symbol)
    if said is None or not isinstance(said.kind, str):
        return None
    known = machine.knowledge.attribute(said.kind, name) or machine.knowledge.method(said.kind, name)
    return said if known is not None else None


def type_names(machine: Machine) -> frozenset[str]:
    names: frozenset[str] | None = machine.notes.get("names of types")
    if names is None:
        names = frozenset(name.rpartition(".")[2] for name in machine.knowledge.types)
        machine.notes["names of types"] = names
    return names


def last_word(words: ir.Expr) -> str:
    return words.name if isinstance(words, ir.Attr) else words.id if isinstance(words, ir.Name) else ""


def meant(machine: Machine, words: ir.Expr, frame: Frame) -> Value:
    """What the words stand for in the module of this frame."""
    saved = machine.frame
    machine.frame = frame.globals if frame.globals is not frame else frame
    try:
        found = machine.evaluate(words, machine.world.full)
    finally:
        machine.frame = saved
    if isinstance(found, Unknown):
        return type_for_checkers(machine, frame.path, words) or found
    return found


def expression_of(annotation: ir.Expr | None) -> ir.Expr | None:
    """A name, with dots or without, also where it is written as a string."""
    if isinstance(annotation, ir.Name | ir.Attr):
        return annotation
    if not isinstance(annotation, ir.Const) or not isinstance(annotation.value, str):
        return None
    if not annotation.value.replace(".", "").isidentifier():
        return None
    first, *rest = annotation.value.split(".")
    words: ir.Expr = ir.Name(first)
    for part in rest:
        words = ir.Attr(words, part)
    return words


def optional(annotation: ir.Expr | None) -> ir.Expr | None:
    """What `X | None` and `Optional[X]` may be."""
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        sides = (annotation.left, annotation.right)
        named = [side for side in sides if not (isinstance(side, ir.Const) and side.value is None)]
        return named[0] if len(named) == 1 else None
    if isinstance(annotation, ir.Index):
        name = last_name(annotation.value)
        return annotation.index if name == "Optional" else None
    return None


def type_for_checkers(machine: Machine, path: str, words: ir.Expr) -> External | None:
    """A type of a library that is imported below `if TYPE_CHECKING:` only."""
    known = for_checkers.absolute(machine, path)
    below: list[str] = []
    while isinstance(words, ir.Attr):
        below.insert(0, words.name)
        words = words.value
    first = known.get(words.id) if isinstance(words, ir.Name) else None
    return External(machine.knowledge.canonical(".".join([first, *below]))) if first is not None else None
