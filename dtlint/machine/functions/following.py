"""Is a function of the program followed when it is called, or passed over?

Following everything would cost too much, and following too little would make guesses of what the program says. So
what can reach nothing any rule asks for is passed over, and so is most of what lies very deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, every_node
from dtlint.machine.contents import own_operators, plain, written
from dtlint.machine.core import Machine
from dtlint.machine.functions.kept_callables import calls_kept
from dtlint.machine.functions.reaching import names_reaching
from dtlint.machine.library.feeding.batches import is_whole_name
from dtlint.machine.library.jax.facts import DONATED
from dtlint.machine.names import classes
from dtlint.machine.values import Bound, ClassRef, FunctionRef, Object, Tuple, Unknown, Value

TURN = frozenset({"index", "number"})  # what `enumerate` and `range` give in each turn
SHORT = 8  # statements
DEEP = 12  # calls; what is further down is followed for what its names say only
NEAR_THE_END = 6  # calls; the same, where most of the budget is gone
MAKING = frozenset({"__init__", "__new__", "__post_init__", "__enter__", "__getattr__"}) | own_operators.METHODS
# they write what others read, or give it
QUESTION = 3  # statements of a helper that asks who it is, and no more; what it insists on is not counted
FURTHER = 4  # calls that are followed beyond the deepest where lanes have parted: there it matters who communicates
FEW_THINGS = 8  # of a thing of the project, to look into each
LOOKED_UP = (ir.Index, ir.Call)
PARAMETERS = frozenset({"parameters", "named_parameters"})  # what a network is asked for
ANSWERS = (ir.Compare, ir.BoolOp, ir.Unary, ir.BinOp, ir.Attr, ir.Name)


def too_deep(machine: Machine, function: FunctionRef, mask: int) -> bool:
    """Beyond the deepest are followed constructors, what matters where lanes have parted, and what calls nobody."""
    weary = machine.weary()
    deepest = min(machine.deepest, NEAR_THE_END) if weary else machine.deepest
    beyond = len(machine.stack) - deepest - (function.name in ("__init__", "__post_init__")) - function.within_another
    if beyond < 0 or (beyond < FURTHER and not weary and machine.parted(mask)):
        return False
    leaves: dict[int, bool] = machine.notes.setdefault("leaves", {})
    known = leaves.get(id(function.node))
    if known is None:
        known = leaves[id(function.node)] = is_leaf(machine, function.node)
    return not known


def is_leaf(machine: Machine, node: ir.Function | ir.Lambda) -> bool:
    """It calls nobody; or it is short, and asks nobody of the program but who this rank is, or whether it is alone."""
    called = set(called_names(node.body))
    if not called:
        return True
    if not isinstance(node, ir.Function):
        return False
    return tells_where(machine, node) or (is_question(node) and called.isdisjoint(own_names(machine).defined))


def tells_where(machine: Machine, node: ir.Function) -> bool:
    """`rank, local, size = settings()`: it asks the environment or a library who this rank is, and does little else."""
    return sum(not insists(one) for one in node.body) <= SHORT and not node.tokens.isdisjoint(
        own_names(machine).telling_where
    )


def is_question(node: ir.Function) -> bool:
    """Short enough to be one, beside what is written about it and what it insists on (`if found < 0: raise`)."""
    return len(node.body) <= QUESTION or sum(not insists(one) for one in node.body) <= QUESTION


def insists(statement: ir.Stmt) -> bool:
    if isinstance(statement, ir.If):
        return len(statement.body) == 1 and isinstance(statement.body[0], ir.Raise) and not statement.orelse
    return isinstance(statement, ir.Assert) or (
        isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Const)
    )


@dataclass(frozen=True, slots=True)
class OwnNames:
    """Of what the program itself defines, in all of its files, those that were not selected as well."""

    asking: frozenset[str]  # what tells who this rank is: names of the libraries, and functions that ask them
    telling_where: frozenset[str]  # what tells who this rank is or whether there are others, in the same way
    defined: frozenset[str]  # all functions and classes


def own_names(machine: Machine) -> OwnNames:
    """Functions that do something a rule asks for count among those that are defined, but not among those that ask."""
    known: OwnNames | None = machine.notes.get("own names")
    if known is None:
        ranks, places = machine.knowledge.ranks, machine.knowledge.places
        asking, telling = set(ranks), set(places)
        defined: set[str] = set()
        for path in machine.project.paths:
            for name, tokens, owner in machine.project.functions(path):
                defined.update((name, owner or name))
                if tokens.isdisjoint(machine.interesting):
                    if not tokens.isdisjoint(ranks):
                        asking.add(name)
                    if not tokens.isdisjoint(places):
                        telling.add(name)
        known = OwnNames(frozenset(asking), frozenset(telling), frozenset(defined))
        machine.notes["own names"] = known
    return known


def can_skip(
    machine: Machine, function: FunctionRef, node: ir.Function, receiver: Value | None, values: tuple[Value, ...]
) -> bool:
    """A function that can reach nothing any rule asks for, on arguments that are the same everywhere."""
    interesting, meaningful = leading_on(machine, function.path)
    if machine.decorating is not None and len(machine.stack) >= machine.decorating + 2 and not is_question(node):
        return True  # helpers of a decorator are told of the function; nobody calls it yet
    traced = machine.flow is not None and len(machine.stack) < 20
    on_devices = traced and bool(machine.facts.get("jax mappings"))
    near = machine.near + (FURTHER if machine.facts.get("inside") else 0)  # what is run to see what data it gives
    near += function.within_another
    if (
        (len(machine.stack) >= near or machine.weary())
        and not on_devices
        and not is_question(node)
        and node.tokens.isdisjoint(meaningful if traced and not machine.weary() else interesting)
        and not tells_where(machine, node)
    ):
        return not any(may_talk(value) for value in values)
    if not node.tokens.isdisjoint(meaningful) or any(is_key(value) for value in values):
        return False
    if on_devices or (traced and machine.facts.get(DONATED)):
        return False  # what is computed on the devices is followed: it decides what varies between them
    if machine.facts.get("loaded") and may_reach_loaded(machine, receiver, values):
        return False  # it may change a data set whose workers hold a copy
    if len(machine.stack) < DEEP and (node.name in MAKING or node.globals or matters(machine, node, receiver, values)):
        return False
    if lacking_somewhere(machine, values):
        return False
    if len(node.body) <= SHORT:
        held = receiver.attributes.values() if isinstance(receiver, Object) else ()
        if any(value.cause is not None or holds_differing(value) for value in (*values, *held)):
            return False
        if any(is_turn(value) for value in values) and once(machine, gives_something, node):
            return False  # `weight_of(epoch)`: a schedule, and what comes of it changes from turn to turn
        if values and receiver is None and all(plain.thing_of(value, 0) is not plain.NOT_KNOWN for value in values):
            return False  # `stage_of("step_10.pt", 4)`: what it gives is known, and is soon computed
    if any(isinstance(value, FunctionRef | Bound | ClassRef) for value in values):
        return False
    return not calls_kept(machine, function, receiver)


def matters(machine: Machine, node: ir.Function, receiver: Value | None, values: tuple[Value, ...]) -> bool:
    """Is what it gives, keeps or changes worth knowing, although no name in it says so?"""
    if machine.facts.get("inside"):
        return True  # what a data set gives depends on what it holds
    if machine.flow is not None and len(node.body) <= SHORT:
        return True  # it may give an array its axis of devices
    if "next" in node.tokens or node.name == "__iter__":
        return True  # it hands out batches of what somebody else made
    if "setattr" in node.tokens:
        return True  # it changes whatever it is given
    if isinstance(receiver, Object):
        if machine.facts.get("running"):
            return True  # it may read a tensor that is still on its way
        if "wrapper" in receiver.facts or once(machine, keeps_count, node):
            return True  # it may train a wrapped model behind the wrapper's back, or count
        if receiver is machine.frame.receiver and classes.called_as(machine, lambda known: known.losses):
            return True  # what it gives goes into a loss, with the gradients of the layers it uses
    if (
        is_answer(node)
        or makes_function(node)
        or once(machine, fills, node)
        or any(once(machine, ask, node) for ask in SHOWN_BY_TEXT)
    ):
        return True
    return any(written_onto(machine, value) for value in values)


def is_turn(value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol.key[0] in TURN


def gives_something(node: ir.Function) -> bool:
    return any(isinstance(one, ir.Return) and one.value is not None for one in every_node(node.body, (ir.Function,)))


def leading_on(machine: Machine, path: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that lead from this file to communication, and to anything at all. A file that was not selected,
    and is looked at because somebody calls what is in it, has helpers of its own."""
    if path in machine.selected:
        return machine.interesting, machine.meaningful
    known = machine.notes.setdefault("leading on", {})
    if path not in known:
        seeds = (machine.interesting, machine.meaningful)
        known[path] = tuple(names_reaching(machine.project, (path,), names) for names in seeds)
    found: tuple[frozenset[str], frozenset[str]] = known[path]
    return found


def may_reach_loaded(machine: Machine, receiver: Value | None, values: tuple[Value, ...]) -> bool:
    """Is it called on or with a data set of a loader, or something that holds one?"""
    loaded = machine.facts["loaded"]
    held = receiver.attributes.values() if isinstance(receiver, Object) else ()
    return any(isinstance(value, Object) and value.number in loaded for value in (receiver, *values, *held))


def once(machine: Machine, ask: Callable[[ir.Function], bool], node: ir.Function) -> bool:
    """What the text of a function says is asked once, however often it is called."""
    answers: dict[int, bool] = machine.notes.setdefault(ask, {})
    known = answers.get(id(node))
    if known is None:
        known = answers[id(node)] = len(node.body) <= SHORT and ask(node)
    return known


def keeps_count(node: ir.Function) -> bool:
    """A short method that writes to what it belongs to: a counter, a flag, the best value so far."""
    first = node.params[0].name if node.params else ""
    return first in ("self", "cls") and any(writes_to(one, first) for one in node.body)


FILLING = frozenset({"append", "appendleft", "extend", "add", "update", "setdefault"})


def fills(node: ir.Function) -> bool:
    """A short function that puts something into a list or table it has not made itself: `self.seen[name] += 1`."""
    own = set(node.assigned) - {parameter.name for parameter in node.params}
    return any(filled not in own for filled in filled_in(node))


def filled_in(node: ir.Function) -> Iterator[str]:
    """The variables whose contents change, those of an attribute among them."""
    for one in every_node(node.body, (ir.Function, ir.Class)):
        if isinstance(one, ir.Assign | ir.AugAssign):
            targets = targets_of(one)
            yield from (name for target in targets if isinstance(target, ir.Index) and (name := root_of(target)))
        elif isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name in FILLING:
            if name := root_of(one.func.value):
                yield name


def root_of(node: ir.Expr) -> str:
    while isinstance(node, ir.Attr | ir.Index):
        node = node.value
    return node.id if isinstance(node, ir.Name) else ""


def calls_what_it_finds(node: ir.Function) -> bool:
    """A short function that looks up whom it calls: `return self.makers[name](**options)`, or calls them in turn:
    `for listener in self.listeners[event]: listener(self)`. No name says who that is."""
    return any(calls_found(node))


def calls_found(node: ir.Function) -> Iterator[bool]:
    looked_up: set[str] = set()
    for one in every_node(node.body, (ir.Function, ir.Class)):
        if isinstance(one, ir.Assign) and isinstance(one.value, LOOKED_UP):
            looked_up.update(target.id for target in one.targets if isinstance(target, ir.Name))
        elif isinstance(one, ir.For) and isinstance(one.target, ir.Name):
            looked_up.add(one.target.id)
        elif isinstance(one, ir.Call):
            yield isinstance(one.func, LOOKED_UP) or (isinstance(one.func, ir.Name) and one.func.id in looked_up)


def gives_what_it_finds(node: ir.Function) -> bool:
    """`return MAKERS[name]`, or a copy, `return dict(PRESETS[name])`: the table is the file's, and what stands there
    may be anything."""
    every = list(every_node(node.body, (ir.Function, ir.Class)))
    targets = (target for one in every if isinstance(one, ir.Assign) for target in one.targets)
    own = {param.name for param in node.params} | {one.id for one in targets if isinstance(one, ir.Name)}
    given = [one.value for one in every if isinstance(one, ir.Return) and one.value is not None]
    tables = (table_asked(part) for part in every_node(given, (ir.Function, ir.Class)))
    return any(isinstance(table, ir.Name) and table.id not in own for table in tables)


def gives_names(node: ir.Function) -> bool:
    """`if kind == "small": return Small`: the names are the file's, and what they stand for is made elsewhere."""
    every = list(every_node(node.body, (ir.Function, ir.Class)))
    given = [one.value for one in every if isinstance(one, ir.Return)]
    given += [one.value for one in every if isinstance(one, ir.Assign) and isinstance(one.targets[0], ir.Name)]
    own = {param.name for param in node.params} | set(node.assigned)
    return any(isinstance(one, ir.Name) and one.id not in own for one in given)


def table_asked(found: ir.Node | None) -> ir.Expr | None:
    """`table` of `table[name]` and `table.get(name)`"""
    if isinstance(found, ir.Index):
        return found.value
    method = found.func if isinstance(found, ir.Call) else None
    return method.value if isinstance(method, ir.Attr) and method.name == "get" else None


def sets_nothing(node: ir.Function) -> bool:
    """`p.requires_grad == False`: a comparison that stands alone."""
    every = every_node(node.body, (ir.Function, ir.Class))
    return any(isinstance(one, ir.ExprStmt) and isinstance(one.value, ir.Compare) for one in every)


def counts_all_ranks(node: ir.Function) -> bool:
    """`self.global_batch // self.micro_batch`"""
    return any(map(is_whole_name, node.tokens))


def asks_to_fit(node: ir.Function) -> bool:
    """`assert rows % (ranks * size) == 0; return rows // size`"""
    operators = {one.op for one in every_node(node.body) if isinstance(one, ir.BinOp)}
    return {"%", "//"} <= operators


def makes_a_set(node: ir.Function) -> bool:
    """`list({row["name"] for row in rows})`: texts leave it in an order of this process."""
    return any(
        (isinstance(one, ir.Comp) and one.kind == "set")
        or (isinstance(one, ir.Call) and isinstance(one.func, ir.Name) and one.func.id in ("set", "frozenset"))
        for one in every_node(node.body, (ir.Function, ir.Class))
    )


def gives_parameters(node: ir.Function) -> bool:
    """`return [{"params": [p for p in net.parameters() if p.ndim > 1]}]`: they may be others by the time an optimizer
    gets them."""
    if node.tokens.isdisjoint(PARAMETERS):
        return False
    every = every_node(node.body, (ir.Function, ir.Class))
    return any(isinstance(one, ir.Return) and one.value is not None for one in every)


def gives_if_asked(node: ir.Function) -> bool:
    """`profiler = None; if options.profile: profiler = profile(); return profiler`: who asks whether there is one asks
    for the option."""
    every = list(every_node(node.body, (ir.Function, ir.Class)))
    if not any(isinstance(one, ir.If) and is_option(one.test) for one in every):
        return False
    given = {one.value.id for one in every if isinstance(one, ir.Return) and isinstance(one.value, ir.Name)}
    nothing = (one for one in every if isinstance(one, ir.Assign) and is_nothing(one.value))
    return any(isinstance(one, ir.Name) and one.id in given for each in nothing for one in each.targets)


def is_option(asked: ir.Expr) -> bool:
    asked = asked.value if isinstance(asked, ir.Unary) and asked.op == "not" else asked
    return isinstance(asked, ir.Attr) and isinstance(asked.value, ir.Name)


def is_nothing(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None


SHOWN_BY_TEXT = (
    calls_what_it_finds,
    gives_what_it_finds,
    gives_names,
    gives_if_asked,
    gives_parameters,
    sets_nothing,
    counts_all_ranks,
    asks_to_fit,
    makes_a_set,
)


def written_onto(machine: Machine, value: Value) -> bool:
    """Has the program put something onto a thing of somebody else: options, a configuration?"""
    if isinstance(value, Object):
        return type(value.kind) is str and "." in value.kind and bool(value.attributes)
    return written.onto(machine, value) is not None


def holds_differing(value: Value, deep: int = 3) -> bool:
    """A list, table or thing in which the ranks have things of their own, or what keeps such."""
    if isinstance(value, Tuple):
        kept: tuple[Value, ...] = value.items
    elif isinstance(value, Object) and (isinstance(value.kind, str) or len(value.attributes) <= FEW_THINGS):
        kept = tuple(value.attributes.values())
    else:
        return False
    return any(held.cause is not None or (deep > 0 and holds_differing(held, deep - 1)) for held in kept)


def makes_function(node: ir.Function) -> bool:
    """A decorator with arguments, a factory of callbacks."""
    return len(node.body) <= SHORT and any(isinstance(one, ir.Function) for one in node.body)


def is_answer(node: ir.Function) -> bool:
    """One `return` of a comparison, sum or attribute: `return self.epoch >= self.warmup`; or of a set, whose order
    ranks do not share."""
    said = node.body[1:] if node.body and is_docstring(node.body[0]) else node.body
    only = said[0] if len(said) == 1 else None
    if not isinstance(only, ir.Return):
        return False
    return isinstance(only.value, ANSWERS) or (isinstance(only.value, ir.Comp) and only.value.kind == "set")


def is_docstring(statement: ir.Stmt) -> bool:
    return (
        isinstance(statement, ir.ExprStmt)
        and isinstance(statement.value, ir.Const)
        and isinstance(statement.value.value, str)
    )


def writes_to(statement: ir.Stmt, owner: str, depth: int = 2) -> bool:
    """`self.count += 1`, `self.optimizer.lr = rate`, `self.best, self.epoch = loss, epoch`, here or in a branch."""
    if isinstance(statement, ir.Assign | ir.AugAssign | ir.AnnAssign):
        targets = targets_of(statement)
        return any(isinstance(target, ir.Attr) and root_of(target) == owner for target in targets)
    if isinstance(statement, ir.If) and depth:
        return any(writes_to(one, owner, depth - 1) for one in (*statement.body, *statement.orelse))
    return False


def targets_of(statement: ir.Assign | ir.AugAssign | ir.AnnAssign) -> Iterator[ir.Expr]:
    """What gets a value, one by one."""
    todo = list(statement.targets) if isinstance(statement, ir.Assign) else [statement.target]
    while todo:
        target = todo.pop()
        if isinstance(target, ir.Tup | ir.ListExpr):
            todo.extend(target.items)
        else:
            yield target


def lacking_somewhere(machine: Machine, values: tuple[Value, ...]) -> bool:
    """Is it handed what a collective has left on one rank only, so that reading it goes wrong on the others?"""
    if "off root" not in machine.facts:
        return False
    from dtlint.machine.library.meeting import roots

    return bool(roots.marks_in(*values))


def is_key(value: Value) -> bool:
    """A PRNG key of JAX: whoever is handed one draws from it."""
    return any(type(tag) is tuple and tag[:2] == ("jax", "key") for tag in value.tags)


def may_talk(value: Value) -> bool:
    """Whoever gets it may make it communicate."""
    return isinstance(value, FunctionRef | Bound) or (isinstance(value, Object) and value.kind == "<generator>")
