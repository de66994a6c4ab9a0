"""Is there a process group already, and who asks for one before there is?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_name, called_names, every_node, functions_of, mentions
from dtlint.knowledge.rows import Api
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Place, told
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import FALSE, TRUE, Const, External, ModuleRef, Object, Symbol

ASKED = "process group asked for"
NEEDED = "process group needed"  # by which question, in which frame and place: the last one that fails without a group
LATE = "group-asked-late"
LEAVES = {ir.Return, ir.Raise, ir.Continue, ir.Break}


def asked(machine: Machine, call: Invocation) -> None:
    """`extra.needs_group`: the question fails without a process group; a list names what makes it need none, if all of
    it is given. `extra.asks_group`: from here on the program knows whether there is one."""
    given = call.row.extra.get("needs_group")
    if isinstance(given, list) and all(call.get(name) is not None for name in given):
        return
    if call.row.extra.get("asks_group"):
        asked_late(machine, call)
        machine.facts[ASKED] = True
    if call.row.extra.get("needs_group") is True:
        machine.facts[NEEDED] = (machine.frame, machine.current_at, call)
    if call.row.extra.get("needs_group") and ASKED not in machine.facts and not machine.facts.get("inside"):
        machine.emit_event("record", "group-needed", call.name, call.mask, extra={"call": call})


def asked_late(machine: Machine, call: Invocation) -> None:
    """`get_rank() == 0 or not is_initialized()`: the first question fails where the second would have said so."""
    frame, at, needed = machine.facts.get(NEEDED, (None, None, None))
    if frame is not machine.frame or not in_one_condition(machine, at, machine.current_at):
        return
    known = frozenset({call.name.rpartition(".")[2]})
    if not any(found_out(machine, made, place, frame) for made, place, frame in made_on_the_way(machine, known, at)):
        machine.emit_event("record", LATE, needed.name, needed.mask, at=at)


def found_out(machine: Machine, asking: ir.Call, place: Place, frame: Frame) -> bool:
    """Does this question, asked before, tell whoever comes to the place that there is a group: by a branch on the
    answer or a name for it, which the place stands below or others leave by?"""
    if asking.at >= place:
        return False
    body = machine.project.tree(frame.path) if frame.node is None else frame.node
    nodes = list(every_node(body))
    names = {
        target.id
        for node in nodes
        if isinstance(node, ir.Assign) and stands_in(node.value, asking.at)
        for target in node.targets
        if isinstance(target, ir.Name)
    }
    return any(
        isinstance(node, ir.If)
        and (stands_in(node.test, asking.at) or mentions(node.test, names))
        and (stands_in((node.body, node.orelse), place) or not LEAVES.isdisjoint(map(type, node.body)))
        for node in nodes
    )


def stands_in(below: Any, at: Place) -> bool:
    return any(isinstance(node, ir.Call) and node.at == at for node in every_node(below))


def in_one_condition(machine: Machine, first: Place, second: Place | None) -> bool:
    """Do these calls stand in one chain of `and` or `or`, the first in an earlier part of it?"""
    chains: dict[int, list[list[set[Place]]]] = machine.notes.setdefault("conditions", {})
    body = machine.project.tree(machine.frame.path) if machine.frame.node is None else machine.frame.node
    if id(body) not in chains:
        chains[id(body)] = [
            [{call.at for call in every_node(part) if isinstance(call, ir.Call)} for part in node.values]
            for node in every_node(body)
            if isinstance(node, ir.BoolOp)
        ]
    return any(
        first in part and any(second in later for later in parts[number + 1 :])
        for parts in chains[id(body)]
        for number, part in enumerate(parts)
    )


def made_on_the_way(
    machine: Machine, known: frozenset[str], at: Place | None
) -> Iterator[tuple[ir.Call, Place, Frame]]:
    """The calls of these in the function that runs and in those that have called it, each with the place from which
    the way goes on."""
    frame: Frame | None = machine.frame
    while frame is not None:
        body = machine.project.tree(frame.path) if frame.node is None else frame.node
        for call in calls_of(machine, body, known):
            if at is not None:
                yield call, at, frame
        at, frame = frame.called_at, frame.caller


STARTED = "process group started"
NOT_BY_JAX = "process group of another library"

SIDES = "spawned on these sides"  # of branches nobody can decide
SPAWNS = frozenset({"spawn", "start_processes"})
OF_ITS_OWN = (ir.Function, ir.Class, ir.Lambda)  # what stands in these runs some other time


def started(machine: Machine, mask: int, by: Api | None = None) -> None:
    """From here on these ranks have a process group. `extra.jax_too`: JAX programs are told the same, and have none."""
    if by is None or not by.extra.get("jax_too"):
        machine.facts[NOT_BY_JAX] = True
    machine.set(whether_started(machine), STARTED, TRUE, mask)


def is_started(machine: Machine) -> bool:
    return STARTED in machine.facts and machine.get(whether_started(machine), STARTED) == TRUE


def begun_on(machine: Machine, asked: Symbol, sides: tuple[bool, ...], mask: int) -> None:
    """`if args.distributed: init_process_group()`: the program of several ranks that we look at went that way. Whoever
    asks the same later on is answered so."""
    if sides in ((True, False), (False, True)):
        machine.set(whether_started(machine), asked, TRUE if sides[0] else FALSE, mask)


def answer_of(machine: Machine, asked: Symbol) -> bool | None:
    """What the start of the group has answered."""
    held = machine.facts.get(STARTED)
    if held is None:
        return None
    if asked not in held.attributes:
        yes = [one for one in held.attributes if isinstance(one, Symbol) and machine.get(held, one) == TRUE]
        known = {what: answer for one in yes for what, answer in told(one, True)}
        return False if any(known.get(what, answer) != answer for what, answer in told(asked, True)) else None
    found = machine.get(held, asked)
    return found == TRUE if found in (TRUE, FALSE) else None


def answers(facts: dict[str, Any]) -> dict[Any, bool]:
    """All that the start of the group has answered in a run."""
    held = facts[STARTED].attributes if STARTED in facts else {}
    return {
        asked: value == TRUE for asked, value in held.items() if isinstance(asked, Symbol) and value in (TRUE, FALSE)
    }


def starts_here(machine: Machine, call: Invocation) -> bool:
    """`if not is_initialized(): init_process_group()`: who starts the group where nobody has done so asks in order to
    start it, not for the day it is run without one. Nor does anybody who is alone get another answer."""
    if machine.get(whether_started(machine), STARTED) is not None:
        return False
    if beside_the_others(machine):
        return True
    if not spawns(machine) and spawns_later(machine):
        return True
    begun_by = call.row.extra["begun_by"]
    node, asking = machine.frame.node, machine.asking
    if isinstance(node, ir.Function) and begun_by in node.tokens:
        return True
    known = starters(machine, begun_by)
    if begins_later(machine, known, begun_by) or a_library_begins_later(machine, call):
        return True
    return asking is not None and any(name in known for name in called_names((asking.body, asking.orelse), OF_ITS_OWN))


def beside_the_others(machine: Machine) -> bool:
    """On the other side of a branch than the start of the other processes there is one."""
    sides = machine.facts.get(SIDES, ())
    return any((asked, not answer) in sides for asked, answer in machine.assumed)


def spawns_later(machine: Machine) -> bool:
    """Is this asked on the way to a line that starts the other processes, by one that has none yet?"""
    known: dict[int, bool] = machine.notes.setdefault("spawns", {})
    frame: Frame | None = machine.frame
    while frame is not None:
        main = frame.variables.get("__name__") == Const("__main__")
        body = machine.project.tree(frame.path) if main else frame.node
        if id(body) not in known:
            known[id(body)] = body is not None and not SPAWNS.isdisjoint(called_names(body.body, OF_ITS_OWN))
        if known[id(body)]:
            return True
        frame = frame.caller
    return False


def begins_later(machine: Machine, known: frozenset[str], begun_by: str) -> bool:
    """Is this asked on the way to a line that starts the group, which nobody has done yet: `options = read()`, and
    then `init_process_group()`? Each rank is the first one until then."""
    return any(not is_method(call, frame, begun_by) for call, frame in made_later(machine, known))


def a_library_begins_later(machine: Machine, asking: Invocation) -> bool:
    """The same of `accelerator = Accelerator()`, which begins the group by itself if there is none; whoever calls a
    function may have made one before."""
    known = frozenset(asking.row.extra.get("begun_too", ()))
    return (
        bool(known)
        and of_a_script(machine)
        and any(is_of_a_library(call, frame) for call, frame in made_later(machine, known))
    )


def of_a_script(machine: Machine) -> bool:
    *_, outermost = machine.frame.and_callers()
    return bool(outermost.variables.get("__name__") == Const("__main__"))


def made_later(machine: Machine, known: frozenset[str]) -> Iterator[tuple[ir.Call, Frame]]:
    """The calls of these that stand further down, in the function that runs and in those that have called it."""
    for call, place, frame in made_on_the_way(machine, known, machine.current_at):
        if call.at[0] > place[0]:
            yield call, frame


def is_of_a_library(call: ir.Call, frame: Frame) -> bool:
    """Was what is called imported from outside of the project?"""
    owner = call.func
    while isinstance(owner, ir.Attr):
        owner = owner.value
    if not isinstance(owner, ir.Name):
        return False
    return isinstance(frame.variables.get(owner.id) or frame.globals.variables.get(owner.id), External)


def calls_of(machine: Machine, body: ir.Node | None, known: frozenset[str]) -> list[ir.Call]:
    """Where a function, or a file itself, calls one of these."""
    made: dict[tuple[int, frozenset[str]], list[ir.Call]] = machine.notes.setdefault("calls of starters", {})
    key = (id(body), known)
    if key not in made:
        below = every_node(body.body, OF_ITS_OWN) if isinstance(body, ir.Function | ir.Module) else ()
        calls = (node for node in below if isinstance(node, ir.Call) and node.at is not None)
        made[key] = [call for call in calls if called_name(call) in known]
    return made[key]


def is_method(call: ir.Call, frame: Frame, begun_by: str) -> bool:
    """`model.train()`, `wandb.init()`: not the function of the project that happens to be called so."""
    owner = call.func
    if isinstance(owner, ir.Name):
        return False
    while isinstance(owner, ir.Attr):
        owner = owner.value
    if not isinstance(owner, ir.Name):
        return True
    held = frame.variables.get(owner.id) or frame.globals.variables.get(owner.id)
    return not isinstance(held, ModuleRef) and not (isinstance(held, External) and called_name(call) == begun_by)


def starters(machine: Machine, begun_by: str) -> frozenset[str]:
    """The call that starts the group, and the functions of the project that make it."""
    known: dict[str, frozenset[str]] = machine.notes.setdefault("starters", {})
    paths = machine.project.mentioning(begun_by)  # asked by each unit: its answer is what the unit rests on
    if begun_by not in known:
        found = (
            function.name
            for path in paths
            for function, _ in functions_of(machine.project.tree(path))
            if begun_by in function.tokens
        )
        known[begun_by] = frozenset((begun_by, *found))
    return known[begun_by]


def whether_started(machine: Machine) -> Object:
    held = machine.facts.get(STARTED)
    if held is None:
        held = machine.facts[STARTED] = machine.new(STARTED, machine.world.full)
    return held
