"""Is something done whatever a question was answered, and does the answer only get told to people?

`good = manager.should_commit()`, `if not good: log.warning(…)`, and behind it, on every way, the step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.ir.meeting import root_of, showing
from dtlint.ir.text import render
from dtlint.ir.ways import Way, way_to

LEAVES = (ir.Return, ir.Raise, ir.Break, ir.Continue, ir.Assert, ir.Yield)
COLLECTS = frozenset({"append", "appendleft", "add"})  # of lists, queues and sets: what is in them is looked at later
NUMBERS = frozenset({"int", "float", "bool"})
Place = tuple[int, int]


def done_anyway(module: ir.Module, question: Place, deed: Place, shows: Iterable[str]) -> bool:
    """Of the calls that stand there, in one function."""
    asked, done = way_to(module, *question), way_to(module, *deed)
    shared = [node for node, same in zip(asked, done, strict=False) if node is same]
    if not shared or len(shared) == min(len(asked), len(done)):
        return False
    first, last = asked[len(shared)], done[len(shared)]
    block = block_of(shared[-1], first)
    if not isinstance(first, ir.Stmt) or last not in block or not stands_alone(done[len(shared) :]):
        return False
    shown = shown_by(module, shows)
    names = answers(first, asked[-1])
    if names is None or not (names or only_told(first, shown)):
        return False
    between = block[block.index(first) + 1 : block.index(last)]
    for statement in between:
        if any(isinstance(node, LEAVES) for node in every_node(statement)):
            return False
        if reads(statement, names) and not only_told(statement, shown):
            return False
    return not reads(last, names)


def shown_by(module: ir.Module, shows: Iterable[str]) -> set[str]:
    """The names of a file that only tell somebody: `print`, libraries that log, and the loggers made of them."""
    return {*showing(module, tuple(shows)), *loggers(module, tuple(shows))}


def block_of(above: ir.Node, statement: ir.Node) -> list[ir.Stmt]:
    for name in ("body", "orelse", "final"):
        held = getattr(above, name, ())
        if isinstance(held, tuple) and any(one is statement for one in held):
            return list(held)
    return []


def stands_alone(way: Way) -> bool:
    """Is the call a statement, of the block or of a `with` in it?"""
    *above, statement, _ = way if len(way) > 1 else (None, None)
    return isinstance(statement, ir.ExprStmt) and all(isinstance(node, ir.With) for node in above)


def answers(statement: ir.Stmt, question: ir.Node) -> set[str] | None:
    """The names and attributes that get the answer; none where it is asked in a branch or told to somebody, None
    where it goes somewhere else."""
    if isinstance(statement, ir.Assign):
        if statement.value is not question or not all(isinstance(one, ir.Name | ir.Attr) for one in statement.targets):
            return None
        return {render(one) for one in statement.targets}
    return set() if isinstance(statement, ir.If | ir.ExprStmt) else None


def reads(statement: ir.Stmt, names: set[str]) -> bool:
    return any(isinstance(node, ir.Name | ir.Attr) and render(node) in names for node in every_node(statement))


def only_told(statement: ir.Stmt, shown: set[str]) -> bool:
    """Does it print, log, count and collect, and nothing else?"""
    if isinstance(statement, ir.If):
        blocks = (*statement.body, *statement.orelse)
        return all(only_told(one, shown) for one in blocks)
    if isinstance(statement, ir.AugAssign):
        calls = [node.func for node in every_node(statement.value) if isinstance(node, ir.Call)]
        return all(isinstance(func, ir.Name) and func.id in NUMBERS for func in calls)
    if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call):
        func = statement.value.func
        return root_of(func) in shown or (isinstance(func, ir.Attr) and func.name in COLLECTS)
    return isinstance(statement, ir.Pass)


def loggers(module: ir.Module, libraries: tuple[str, ...]) -> Iterator[str]:
    """`log = logging.getLogger(__name__)`"""
    names = set(showing(module, libraries))
    for statement in module.body:
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Call):
            if root_of(statement.value.func) in names:
                yield from (target.id for target in statement.targets if isinstance(target, ir.Name))
