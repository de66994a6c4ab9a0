"""Are two parts of one thing changed alike, and each put back: `batch["a"] = crop(batch["a"], key)`, and so b?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.ways import Place, statement_in, way_to


def changed_alike(tree: ir.Module, one: Place, other: Place) -> bool:
    """By the two calls that stand there: one helper, told the same but for the part."""
    first, second = changed_at(tree, *one), changed_at(tree, *other)
    if first is None or second is None or repr(first[0]) == repr(second[0]):
        return False
    return root_of(first[0]) == root_of(second[0]) and how(first[1]) == how(second[1])


def changed_at(tree: ir.Module, line: int, column: int) -> tuple[ir.Expr, ir.Call] | None:
    """The part and the call, where what comes of the call takes the place of what it is given."""
    way = way_to(tree, line, column)
    statement = statement_in(way)
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ir.Index | ir.Attr) or not isinstance(value, ir.Call) or value is not way[-1]:
        return None
    given = (*value.args, *(held for _, held in value.keywords))
    return (target, value) if given and repr(given[0]) == repr(target) else None


def how(call: ir.Call) -> str:
    """What is called and with what, apart from what it is given first."""
    if call.args:
        return repr((call.func, call.args[1:], call.keywords))
    return repr((call.func, call.keywords[1:]))


def root_of(part: ir.Expr) -> str:
    while isinstance(part, ir.Index | ir.Attr):
        part = part.value
    return part.id if isinstance(part, ir.Name) else ""
