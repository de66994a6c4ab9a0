"""Does the process group live from before the first collective to the end of the program?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, variables_in
from dtlint.machine.contents.written import WRITTEN
from dtlint.machine.library.meeting.evidence import alone, of_one
from dtlint.machine.library.meeting.group_start import ASKED, LATE
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Attempt, Choice, Event, Loop, inner_logs
from dtlint.machine.starts.given import settled
from dtlint.machine.values import NONE, TRUE, Const, Object
from dtlint.machine.walks import walk
from dtlint.timeline.environment import uses
from dtlint.timeline.order import Met, exclusive, inside, ordered
from dtlint.timeline.programs import asked_for, in_a_test, mentioned, names, passes, texts, uncalled
from dtlint.timeline.records import calls_around
from dtlint.timeline.steps.placement import INIT
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.steps.unchosen_devices import on_nccl

PLAIN, SAMPLERS = "torch.distributed.", "torch.utils.data."
WAYS_OUT = (ir.Break, ir.Return, ir.Yield)  # who asks a generator for more may stop asking


def starts(run: Any) -> list[Met]:
    if alone(run):
        return []
    return [met for met in events(run, "record", "init") if met.event.api == INIT and not of_one(met.event)]


def too_early(run: Any) -> Iterator[tuple[Met, Met]]:
    """Collectives, and questions for the rank, before the group they need is made."""
    if run.entry.kind != "script" and in_a_test(run.entry.path):
        return  # what ran in this session before, nobody knows
    inits = starts(run)
    if not inits or events(run, "record", "init")[0].number < inits[0].number:
        return
    first = inits[0]
    for met in ordered(run):
        event = met.event
        if met.number >= first.number:
            return
        tried = any(isinstance(node, Attempt) for node, _ in met.above)
        if not tried and needs_group(event):
            if event.mask & first.event.mask and not exclusive(met, first) and sure_to_start(met, first):
                yield met, first
                return


def asked_behind(run: Any) -> Iterator[Met]:
    """Questions for the rank that come before the question for the group, in one condition, where some runs begin no
    group."""
    late = events(run, "record", LATE)
    inits = starts(run)
    return iter(late if not inits or may_be_left_out(run, inits[0]) else ())


def may_be_left_out(run: Any, start: Met) -> bool:
    """Does it stand below a branch, whichever way the machine takes?"""
    above = tuple(node for node, _ in start.above)
    way = [(start.event.path, start.event.at), *((call.path, call.at) for call in calls_around(start.event, above))]
    return any(below_a_branch(run.project.tree(path), at) for path, at in way)


def below_a_branch(tree: ir.Module, at: Any) -> bool:
    return any(
        isinstance(node, ir.If)
        and "__name__" not in variables_in(node.test)
        and any(isinstance(one, ir.Call) and one.at == at for one in every_node((node.body, node.orelse)))
        for node in every_node(tree)
    )


def too_late(run: Any) -> Iterator[tuple[Met, Met]]:
    """The same, after the group was destroyed for good."""
    ends = [met for met in events(run, "record", "destroy") if for_good(met)]
    inits = starts(run)
    if not ends or not inits or (run.entry.kind != "script" and in_a_test(run.entry.path)):
        return
    last = ends[0]
    if events(run, "record", "init")[-1].number > last.number:
        return
    for met in ordered(run):
        if met.number > last.number and needs_group(met.event) and met.event.mask & last.event.mask:
            if not exclusive(met, last) and not any(isinstance(node, Attempt) for node, _ in met.above):
                yield met, last
                return


def for_good(met: Met) -> bool:
    """The group of all, on every way that comes here, and no signal has come first."""
    given = met.event.extra["call"].values
    return not given and not any(
        isinstance(node, Choice | Loop) or (isinstance(node, Attempt) and not at_last(node, side))
        for node, side in met.above
    )


def at_last(attempt: Attempt, side: int) -> bool:
    """In the `finally`, where every way through the attempt comes by."""
    return attempt.final is not None and inner_logs(attempt)[side] is attempt.final


def needs_group(event: Event) -> bool:
    return event.op == "group-needed" or (talks(event) and event.api.startswith((PLAIN, SAMPLERS)))


def talks(event: Event) -> bool:
    """A call that fails without a group; whoever has asked for one first knows that there may be none."""
    return event.kind == "collective" and not event.implicit and event.op != "init" and not event.extra.get(ASKED)


def sure_to_start(met: Met, start: Met) -> bool:
    """Does every run that comes here make the group later, so that it is not there yet? What the options of the program
    decide brings some runs here; any other question may be one for the group."""
    asked = {(node.symbol, side) for node, side in met.above if isinstance(node, Choice)}
    needed = {(node.symbol, side) for node, side in start.above if isinstance(node, Choice)} if asked else set()
    return needed <= asked and all(symbol is not None and settled(symbol) for symbol, _ in asked)


def never_destroyed(run: Any) -> Iterator[Met]:
    """A script that makes a group and ends without destroying it, in any module that belongs to it."""
    inits = starts(run)
    if run.entry.kind != "script" or not inits or in_a_test(run.entry.path):
        return
    destroyed = events(run, "record", "destroy")
    if any(not at_a_signal(met) for met in destroyed):
        return
    on_signals = frozenset((met.event.path, met.event.function) for met in destroyed)
    if mentioned(run, "destroy_process_group", on_signals | uncalled(run, "destroy_process_group")):
        return
    if works(run) and not ends_nowhere(run):
        yield inits[0]


def left_alone(run: Any) -> Iterator[tuple[Met, Choice]]:
    """`if options.evaluate: score(); return`, in a script that destroys its group at the end of the other way only."""
    inits = starts(run)
    ends = events(run, "record", "destroy")
    if run.entry.kind != "script" or len(inits) != 1 or not ends or in_a_test(run.entry.path):
        return
    if mentioned(run, "destroy_process_group", frozenset((met.event.path, met.event.function) for met in ends)):
        return
    for node, side in ends[0].above:
        if isinstance(node, Choice) and left_by_the_other(node, side) and not inside(inits[0], node):
            if all(any(one is node and taken == side for one, taken in met.above) for met in ends):
                yield inits[0], node
                return


def left_by_the_other(choice: Choice, side: int) -> bool:
    """Does the program end on the other side, as its options say, after the ranks have met there?"""
    if choice.cause is not None or choice.symbol is None or not settled(choice.symbol):
        return False
    other = (choice.then, choice.other)[1 - side]
    return choice.exits[1 - side] == "return" and any(
        isinstance(node, Event) and node.kind == "collective" for node, _ in walk(other)
    )


def ends_nowhere(run: Any) -> bool:
    """`while True:` around the work, which nothing but an error ends: there is no end at which to destroy anything."""
    decisions = [node.decision for node, _ in run.walk() if isinstance(node, Loop) and node.decision.endless]
    return any(
        isinstance(node, ir.While)
        and node.at is not None
        and node.at[0] == one.at[0]
        and not any(isinstance(inner, WAYS_OUT) for inner in every_node(node.body))
        for one in decisions
        for node in every_node(run.project.tree(one.path), (ir.Lambda,))
    )


def at_a_signal(met: Met) -> bool:
    return any(isinstance(node, Attempt) and node.kind == "signal" for node, _ in met.above)


def way_to(met: Met) -> Iterator[Step]:
    """The calls on the way, outermost first."""
    for node in calls_around(met.event, tuple(node for node, _ in met.above)):
        yield Step.of(node, f"calls `{node.function}`")


def works(run: Any) -> bool:
    """The group is used: the run reaches what it is for."""
    return any(met.event.kind == "collective" and met.event.op != "init" for met in ordered(run))


def on_cpu(run: Any) -> Iterator[tuple[Met, Event]]:
    """NCCL, in a program whose only device is the CPU."""
    for start in starts(run):
        if not on_nccl(start.event.extra["call"]) or run.entry.kind != "script":
            continue
        named = list(events(run, "record", "device-named"))
        if not named or any(not is_cpu(met.event) for met in named) or touches_cuda(run):
            continue
        moved = [met for met in events(run, "record", "move") if goes_to_cpu(met.event)]
        if moved and len(moved) == len(events(run, "record", "move")):
            yield start, named[0].event


def is_cpu(event: Event) -> bool:
    return first(event) == "cpu"


def first(event: Event) -> Any:
    value = next(iter(event.extra["call"].values), None)
    return value.value if isinstance(value, Const) else None


def goes_to_cpu(event: Event) -> bool:
    value = next(iter(event.extra["call"].values), None)
    if isinstance(value, Object) and value.kind == "torch.device" and "call" in value.facts:
        value = next(iter(value.facts["call"].values), None)
    return isinstance(value, Const) and value.value == "cpu"


def touches_cuda(run: Any) -> bool:
    for met in ordered(run):
        call = met.event.extra.get("call")
        if met.event.extra.get("starts") == "cuda" or (call is not None and call.row.extra.get("starts") == "cuda"):
            return True
    return False


def old_options(run: Any) -> Iterator[tuple[Met, str]]:
    """Options that an old launcher passed, in a script that never asks the environment."""
    if not starts(run) or spawns(run) or in_a_test(run.entry.path):
        return
    for met in events(run, "record", "option"):
        for value in met.event.extra["call"].arguments:
            row = run.knowledge.settings.get(value.value) if isinstance(value, Const) else None
            variable = str(row.extra.get("launcher", "")) if row is not None else ""
            if not variable or variable in run.facts.get("environment reads", ()) or writes(run, variable):
                continue
            if row is not None and any(uses(run, package) for package in row.extra.get("unless", ())):
                continue
            if passes(run, str(value.value)) or names(run, variable):
                continue
            if met.event.extra["call"].get("default") == NONE:
                continue  # written down: the program is prepared for a launcher that passes none
            if met.event.extra["call"].get("required") == TRUE:
                continue  # who starts it has to give it: there is no default
            if numbered_by_another(run):
                continue  # where nobody gives it, that launcher has said which one this is
            if given_number(run) or launches(run):
                continue  # the project itself starts it by the launcher that passes it
            name = str(value.value).lstrip("-").replace("-", "_")
            if not asked_for(run, name) or told_by_program(run, name):
                continue  # nobody wants to know what was given for this option
            yield met, variable


def numbered_by_another(run: Any) -> bool:
    """Is the rank asked of a launcher that sets a variable of its own, and not of torchrun?"""
    ranks = (name for name, row in run.knowledge.environment.items() if row.value == "rank" and name != "RANK")
    return not names(run, "RANK") and any(names(run, name) for name in ranks)


def given_number(run: Any) -> bool:
    """Do the documents start this program by the launcher that passes the option, or any program, where this is a part
    that nobody was seen to use?"""
    started = run.project.started
    return started.given_number(run.entry.path) or (run.entry.kind != "script" and bool(started.numbered))


OLD_LAUNCHER = "torch.distributed.launch"


def launches(run: Any) -> bool:
    """`subprocess.run([python, "-m", "torch.distributed.launch", …])`, in its own code or where this script is named"""
    own, name = run.project.relatives(run.entry.path), run.entry.path.rpartition("/")[2]
    for path in run.project.mentioning(OLD_LAUNCHER):
        written = list(texts(run.project.module(path)))
        if any(OLD_LAUNCHER in text for text in written):
            if path in own or any(re.search(rf"(?<![\w-]){re.escape(name)}", text) for text in written):
                return True
    return False


def told_by_program(run: Any, name: str) -> bool:
    """`args.local_rank = number`, before a process of its own is started with these options."""
    held = (slots[name] for slots in run.facts.get(WRITTEN, {}).values() if name in slots)
    return any(not isinstance(value, Const) for value in held)


def writes(run: Any, variable: str) -> bool:
    return any(met.event.details and met.event.details[0][1] == Const(variable) for met in events(run, "record", "env"))
