"""Is something made that is given to nobody?

`sampler = DistributedSampler(data)` divides nothing until a loader has it. Asking how long it is, whether it is there,
or telling it the epoch hands it to nobody.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.examples import named, names_below, of_its_own, outward
from dtlint.ir.ways import Way, after, way_to

WAITS = "block_until_ready"
LOOPS = (ir.For, ir.While)


def given_to_nobody(module: ir.Module, line: int, column: int) -> bool:
    """Does a name of its own hold the result of the call that stands there, and is that all?"""
    way = way_to(module, line, column)
    statement = way[-2] if len(way) > 1 else None
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ir.Name):
        return False
    scope = next(node for node in reversed(way) if isinstance(node, ir.Function | ir.Module))
    if isinstance(scope, ir.Function) and target.id in scope.globals:
        return False
    reads = (read for read in names_below(scope, ()) if read[-1].id == target.id and not of_its_own(read))
    return all(only_asked(read) for read in reads)


def held_by_nobody(module: ir.Module, line: int, column: int) -> bool:
    """`with open(path, "a"): pass`, `open(path, "a").close()`: is what the call opens closed again, with no name?"""
    way = way_to(module, line, column)
    if len(way) < 2:
        return False
    call, above = way[-1], way[-2]
    if isinstance(above, ir.With):
        return any(entered is call and target is None for entered, target in above.items)
    ended = isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and call.func.name == "close"
    return ended and isinstance(above, ir.ExprStmt)  # both calls begin at the same place


def only_asked(read: Way) -> bool:
    """`sampler.set_epoch(3)`, `len(sampler)`, `sampler is None`, `if sampler:`"""
    above, name = read[-2], read[-1]
    if isinstance(above, ir.Call):
        return isinstance(above.func, ir.Name) and above.func.id == "len"
    return isinstance(above, ir.Attr | ir.Compare) or (isinstance(above, ir.If | ir.IfExp) and above.test is name)


def looked_at_by_nobody(module: ir.Module, line: int, column: int) -> bool:
    """Is the result of the call that stands there dropped, or put under a name that holds another before it is read?"""
    way = way_to(module, line, column)
    index = next((index for index in reversed(range(len(way))) if isinstance(way[index], ir.Stmt)), 0)
    statement = way[index] if way else None
    if isinstance(statement, ir.ExprStmt):
        return all(isinstance(node, ir.Attr | ir.Index) or only_waits(node) for node in way[index + 1 : -1])
    if any(isinstance(node, ir.Call) for node in way[index + 1 : -1]):
        return False
    names = written(statement)
    return names is not None and all(ends_unread(way[: index + 1], name) for name in names)


def written(statement: ir.Node | None) -> set[str] | None:
    """The names a statement puts its value under; None where it goes elsewhere, too."""
    if isinstance(statement, ir.Assign):
        return named(statement.targets)
    return named((statement.target,)) if isinstance(statement, ir.AnnAssign) else None


def only_waits(node: ir.Node) -> bool:
    return isinstance(node, ir.Call) and getattr(node.func, "name", "") == WAITS


def ends_unread(way: Way, name: str) -> bool:
    """Does what this statement has put under the name stay unread to the end of the function?"""
    for above, held in outward(way):
        for statement in after(above, held):
            if any(read[-1].id == name for read in names_below(statement, ())):
                return False
            if name in (written(statement) or ()):
                return True
        if isinstance(above, LOOPS) and any(read[-1].id == name for read in names_below(above, ())):
            return False  # in the next turn
        if isinstance(above, ir.Function):
            return name not in above.globals
    return False  # whoever imports the module may read it
