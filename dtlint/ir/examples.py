"""Is something made as an example only, of which nobody looks at more than the shape?

`obs, _ = env.reset(key); params = model.init(key, obs)` wants to know how large an observation is. The numbers in it
come to nothing, and so does what they were drawn from.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import children, last_name
from dtlint.ir.ways import Way, after, way_to

OF_SHAPE = frozenset({"shape", "ndim", "dtype", "size"})


def only_for_shape(module: ir.Module, line: int, column: int, alike: frozenset[str]) -> bool:
    """Does the result of the call that stands there go nowhere but into questions for its shape? `alike` is what makes
    parameters or storage for arrays like the one it is given."""
    way = way_to(module, line, column)
    if not way:
        return False
    scope = next(index for index in reversed(range(len(way))) if isinstance(way[index], ir.Function | ir.Module))
    names = given_to(way, alike)
    if not names:
        return names is not None
    known, todo, asked = set(names), [way[: scope + 1]], False
    reads = [read for read in names_below(way[scope], ()) if comes_behind(read, way[scope:])]
    while todo:
        todo.pop()
        for read in reads:
            if not isinstance(read[-1], ir.Name) or read[-1].id not in known or of_its_own(read):
                continue
            if another_by_now(read, way, [one for one in reads if one[-1].id in known], alike):
                continue
            more = given_to(read, alike)
            if more is None:
                return False
            asked = asked or not more
            if not more <= known:
                known |= more
                todo.append(read)
    return asked


def comes_behind(read: Way, made: Way) -> bool:
    """Is this read when the call has been made? In a loop around both it is, in the next turn."""
    loops = {id(node) for node in made if isinstance(node, ir.For | ir.While)}
    places = (getattr(node, "at", None) for node in reversed(read))
    place = next((at for at in places if at is not None), None)
    return place is None or place[:2] > made[-1].at[:2] or any(id(node) in loops for node in read)


def another_by_now(read: Way, made: Way, known: list[Way], alike: frozenset[str]) -> bool:
    """Is it behind a statement that puts something else under this name: `model = read_like(path, model)`?"""
    for above, held in outward(made):
        for statement in after(above, held):
            if any(node is statement for node in read):
                return False
            if isinstance(statement, ir.Assign) and read[-1].id in (named(statement.targets) or ()):
                inside = [one for one in known if any(node is statement for node in one)]
                return not any(given_to(one, alike) for one in inside)
        if isinstance(above, ir.Function | ir.For | ir.While):
            return False
    return False


def names_below(node: ir.Node, above: Way) -> list[Way]:
    """Every name that is read below, with the way there."""
    found: list[Way] = []
    todo: list[Way] = [(*above, node)]
    while todo:
        way = todo.pop()
        last = way[-1]
        if isinstance(last, ir.Name):
            found.append(way)
        written = last.targets if isinstance(last, ir.Assign) else ()
        todo.extend((*way, below) for below in children(last) if not any(below is one for one in written))
    return found


def outward(way: Way) -> Iterator[tuple[ir.Node, ir.Node]]:
    """Each node of the way with the one of it that is below, from the innermost on."""
    return zip(way[-2::-1], way[:0:-1], strict=True)


def of_its_own(way: Way) -> bool:
    """Does a function in between give this name a meaning of its own?"""
    name = getattr(way[-1], "id", "")
    for node in way[1:]:
        if isinstance(node, ir.Function) and (name in node.assigned and name not in node.globals):
            return True
        if isinstance(node, ir.Function | ir.Lambda) and any(one.name == name for one in node.params):
            return True
    return False


def given_to(way: Way, alike: frozenset[str]) -> set[str] | None:
    """The names that hold what is made of this; none where only its shape is asked, None where it is made use of."""
    below = way[-1]
    for node in reversed(way[:-1]):
        if isinstance(node, ir.Attr) and node.name in OF_SHAPE:
            return set()
        if isinstance(node, ir.Call) and below is not node.func and made_like(node.func, alike):
            return set()
        if isinstance(node, ir.Stmt):
            return named(node.targets) if isinstance(node, ir.Assign) else None
        below = node
    return None


def made_like(function: ir.Expr, alike: frozenset[str]) -> bool:
    """`model.init`, `jax.jit(model.init)`"""
    if isinstance(function, ir.Call):
        return any(made_like(one, alike) for one in function.args)
    return last_name(function) in alike


def named(targets: tuple[ir.Expr, ...]) -> set[str] | None:
    found: set[str] = set()
    todo = list(targets)
    while todo:
        target = todo.pop()
        if isinstance(target, ir.Tup | ir.ListExpr):
            todo.extend(target.items)
        elif isinstance(target, ir.Star):
            todo.append(target.value)
        elif isinstance(target, ir.Name):
            found.add(target.id)
        else:
            return None
    return found - {"_"}
