"""Which lists of a data set decide nothing by their order?

`for kind in self.kinds: found[kind] = read(self.files[kind][index])`: each sample has all of these kinds, and
their order decides nothing. `for part in self.parts: if index < len(part): return part[index]` looks for the place of a
sample: there it decides which one has the number. What no number of a sample is asked with, `self.noises[drawn]`, has
no place in the order of the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, every_node, mentions, variables_in
from dtlint.machine.starts import run_before
from dtlint.machine.values import ClassRef

PICKS = "__getitem__"


def walked_whole(kind: ClassRef) -> set[str]:
    """Names of such attributes, of a class that gives its samples by number."""
    found = [node for owner in owners(kind) for node in owner.node.body if isinstance(node, ir.Function)]
    if not any(method.name == PICKS for method in found):
        return set()
    walked: dict[str, int] = {}
    named: dict[str, int] = {}
    for method in found:
        if method.name in run_before.CONSTRUCTORS:
            continue
        for node in every_node(method.body):
            name = attribute_name(node)
            named[name] = named.get(name, 0) + 1
        for over in walks(method):
            walked[over] = walked.get(over, 0) + 1
    return {name for name, times in walked.items() if name and times == named[name]}


def drawn_from(kind: ClassRef, draws: frozenset[Any], tables: set[str]) -> set[str]:
    """Names of attributes of which every sample draws one, `random.choice(self.backgrounds)`, also of one kind that is
    held in a table, `self.noises[kind]`, and whose number may be asked for: in which order they are held decides
    nothing."""
    drawn: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for method in (node for owner in owners(kind) for node in owner.node.body if isinstance(node, ir.Function)):
        if method.name in run_before.CONSTRUCTORS:
            continue
        for node in every_node(method.body):
            named[attribute_name(node)] += 1
            if isinstance(node, ir.Call) and node.args:
                held = node.args[0]
                name = attribute_name(held)
                if isinstance(held, ir.Index) and attribute_name(held.value) in tables:
                    name = attribute_name(held.value)
                drawn[name] += node.at in draws
                counted[name] += isinstance(node.func, ir.Name) and node.func.id == "len"
    return {name for name, times in drawn.items() if name and times and times + counted[name] == named[name]}


def asked_by_number(kind: ClassRef) -> set[str] | None:
    """Names of attributes that say how many samples there are, or that are asked with something that the number of a
    sample was made into; of an own method that is given such a thing, all it names. None where the class does not show
    it: a method of another is given the number."""
    methods: dict[str, ir.Function] = {}
    for owner in owners(kind):
        for node in owner.node.body:
            if isinstance(node, ir.Function):
                methods.setdefault(node.name, node)
    picks, counts = methods.get(PICKS), methods.get("__len__")
    if picks is None or counts is None or len(picks.params) != 2:
        return None
    names = made_into(picks.params[1].name, picks)
    asked = {attribute_name(node) for node in every_node(counts.body)}
    for node in every_node(picks.body):
        if isinstance(node, ir.For) and mentions(node.body, names):  # looks for the place of the sample
            asked.update(attribute_name(inner) for inner in every_node(node.iterable))
        given: Any = node.index if isinstance(node, ir.Index) else ()
        if isinstance(node, ir.Call):
            given = (node.args, node.keywords)
        if not mentions(given, names):
            continue
        owner = node.func if isinstance(node, ir.Call) else node.value
        called = attribute_name(owner) if isinstance(node, ir.Call) else ""
        if isinstance(owner, ir.Attr) and isinstance(owner.value, ir.Call):
            return None
        asked |= named_below(called, methods)
        asked.update(attribute_name(inner) for inner in every_node(node))
    return asked - {""}


def named_below(method: str, methods: dict[str, ir.Function]) -> set[str]:
    """All attributes that this method names, and those that it calls."""
    names: set[str] = set()
    more = {method} & methods.keys()
    seen: set[str] = set()
    while more:
        seen |= more
        found = {attribute_name(node) for one in more for node in every_node(methods[one].body)}
        names |= found
        more = (found & methods.keys()) - seen
    return names


NAMING = (
    (ir.AnnAssign, "value"),
    (ir.AugAssign, "value"),
    (ir.Walrus, "value"),
    (ir.For, "iterable"),
    (ir.Clause, "iterable"),
)


def made_into(name: str, method: ir.Function) -> set[str]:
    """The names of all that is computed from this one."""
    names: set[str] = set()
    more = {name}
    while not more <= names:
        names |= more
        for node in every_node(method.body):
            if isinstance(node, ir.Assign) and mentions(node.value, names):
                more |= variables_in(node.targets)
            for kind, read in NAMING:
                if isinstance(node, kind) and mentions(getattr(node, read), names):
                    more |= variables_in(node.target)
    return names


def owners(kind: ClassRef) -> Iterator[ClassRef]:
    yield kind
    for base in kind.bases:
        if isinstance(base, ClassRef):
            yield from owners(base)


def walks(method: ir.Function) -> Iterator[str]:
    for node in every_node(method.body):
        if isinstance(node, ir.For) and not searches(node):
            yield attribute_name(node.iterable)
        elif isinstance(node, ir.Comp) and node.kind == "dict" and names_only([node.key, node.element], node.clauses):
            yield from (attribute_name(clause.iterable) for clause in node.clauses)


def searches(loop: ir.For) -> bool:
    """Does it end where it has found something, count on the way, or look into what it walks over?"""
    if not isinstance(loop.target, ir.Name):
        return True
    ends = (ir.Return, ir.Break, ir.Continue, ir.AugAssign, ir.Yield)
    return any(isinstance(node, ends) for node in every_node(loop.body)) or opened(loop.target.id, loop.body)


def names_only(parts: list[Any], clauses: Any) -> bool:
    return all(
        isinstance(clause.target, ir.Name) and not clause.conditions and not opened(clause.target.id, parts)
        for clause in clauses
    )


def opened(name: str, below: Any) -> bool:
    """Is the thing of that name more than a word: has it items or attributes that are asked for?"""
    held = (node.value for node in every_node(below) if isinstance(node, ir.Index | ir.Attr))
    return any(isinstance(value, ir.Name) and value.id == name for value in held)
