"""How sure is it that this program runs in several processes?

Rules about data, seeds, files and logs would be wrong ten times out of eleven if they fired on the bare pattern: a
loader without a sampler is right in a single process. So they ask here first. *strong*: the run itself starts, wraps or
communicates. *medium*: it asks who it is (rank, world size, the launcher's variables). *none*: nothing of the kind was
seen on the way, whatever other files of the project do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.meeting.choosing import left_to_choose
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Attempt, Call, Choice, Event
from dtlint.machine.spoken import COMMUNICATES
from dtlint.machine.values import Const, Object, Value

ORDER = ("none", "medium", "strong")
STARTS = frozenset({"init"})
ASKED, ASKED_ON_A_SIDE = "asked", "asked on one side"  # of a branch nobody can decide
ASKED_FOR_NUMBERS = "asked for numbers"  # not only whether it is the first
ONLY = ([Const("RANK"), Const("0")], [Const("WORLD_SIZE"), Const("1")])
DEVICES = Const("CUDA_VISIBLE_DEVICES")
ALSO_ALONE = ("flax.", "orbax.")  # whose checkpoints are of all hosts, and where there is one, of that


@dataclass(frozen=True, slots=True)
class Evidence:
    confidence: str  # strong | medium | none
    step: Step | None = None

    def at_least(self, confidence: str) -> bool:
        return ORDER.index(self.confidence) >= ORDER.index(confidence)


def noticed(machine: Any, spelled: str, numbers: bool = True) -> None:
    """The program asks which rank it is, or how many there are."""
    if numbers:
        machine.facts[ASKED_FOR_NUMBERS] = True
    word = ASKED_ON_A_SIDE if machine.assumed else ASKED
    if word not in machine.facts and machine.frame is not None:
        machine.facts[word] = machine.step(f"`{spelled}` is asked for: the program runs in several processes")


def evidence(run: Any) -> Evidence:
    """What this run shows; computed once."""
    found: Evidence | None = run.cache.get("evidence")
    if found is None:
        found = run.cache["evidence"] = gathered(run)
    return found


def of_one(event: Event) -> bool:
    """`init_process_group(world_size=1)`: a group because a library asks for one. Two processes cannot have the same
    rank: who writes the number down starts none but this."""
    call = event.extra.get("call") if event.op == "init" else None
    return call is not None and (made_alone(call) or for_one_device(call.receiver))


def made_alone(call: Invocation) -> bool:
    rank = call.get("rank") or call.get("process_id")
    numbered = isinstance(rank, Const) and rank.scale is None and type(rank.value) is int and rank.value >= 0
    return numbered or says_one(call)


def for_one_device(starter: Value | None) -> bool:
    """`Fabric(devices=1)`, on whichever side of a branch it was made: what counts its processes says one."""
    call = starter.facts.get("call") if isinstance(starter, Object) else None
    if not isinstance(starter, Object) or not isinstance(call, Invocation) or "counts" not in call.row.extra:
        return False
    usual = call.row.extra["startup"]["usual"]
    counts = [call.get(name) or Const(usual[name]) for name in call.row.extra["counts"]]
    return all(one == Const(1) for one in counts) and all(map(for_one_device, starter.instead))


def says_one(call: Invocation) -> bool:
    size = call.get("world_size") or call.get("num_processes")
    return isinstance(size, Const) and size.scale is None and size.value == 1


def size_of_one(event: Event) -> bool:
    """Is it said in plain words that there is one process, so that spawning it makes no others either?"""
    call = event.extra.get("call") if event.op == "init" else None
    return call is not None and says_one(call)


def alone(run: Any) -> bool:
    """Does the program say itself that it is the only process: `os.environ["RANK"] = "0"`, whatever else it is told?
    Or do the documents?"""
    known: bool | None = run.cache.get("alone")
    if known is None:
        single = (
            says_so(run)
            or told_so(run)
            or launched_as_one(run)
            or starts_one(run)
            or by_hand(run)
            or without_a_group(run)
            or nothing_together(run)
            or for_what_is_built(run)
            or serves(run)
        )
        known = run.cache["alone"] = (single and not spawns(run)) or starts_one(run, size_of_one)
    return known


def launched_as_one(run: Any) -> bool:
    """Do all scripts and documents that start this program tell the launcher to start one process of it?"""
    return run.entry.kind == "script" and bool(run.project.started.as_one_process(run.entry.path))


def by_hand(run: Any) -> bool:
    """A notebook runs in one kernel, and no launcher starts it, unless it begins a group whatever it is told."""
    if not run.entry.path.endswith(".ipynb") or run.facts.get("jax hosts"):
        return False
    starts = ((node, path) for node, path in run.walk() if isinstance(node, Event) and node.op in STARTS)
    return all(takes_what_is_launched(node) or left_to_choose(run, node, path) for node, path in starts)


def takes_what_is_launched(start: Event) -> bool:
    """`Accelerator()` and `TrainingArguments()` are content with one process."""
    call = start.extra.get("call")
    return call is not None and bool(call.row.extra.get("as_launched"))


def says_so(run: Any) -> bool:
    return any(
        isinstance(node, Event)
        and node.op == "env"
        and not node.extra.get("default")
        and node.mask == run.world.full
        and ([value for _, value in node.details] in ONLY or keeps_one_device(run, node))
        and not any(isinstance(above, Choice | Attempt) for above in path)
        for node, path in run.walk()
    )


def keeps_one_device(run: Any, event: Event) -> bool:
    """`os.environ["CUDA_VISIBLE_DEVICES"] = "0"`: two processes of one machine would meet on this device."""
    name, device = ([value for _, value in event.details] + [None, None])[:2]
    written = device.value if isinstance(device, Const) else None
    if name != DEVICES or not isinstance(written, str) or not written.isdecimal():
        return False
    return not run.project.started.as_several_processes(run.entry.path)


def starts_one(run: Any, alone: Callable[[Event], bool] = of_one) -> bool:
    """A script all of whose groups are of one process."""
    starts = [node for node, _ in run.walk() if isinstance(node, Event) and node.op in STARTS]
    return run.entry.kind == "script" and bool(starts) and all(alone(node) for node in starts)


OF_A_WRAPPER = frozenset({"forward", "backward"})  # what a wrapped model does by itself
OF_A_MODEL = frozenset({"wrap", "forward"})  # which only answers
TRAINS = frozenset({"backward", "train", "fit"})


def learns(events: Iterable[Event]) -> bool:
    """Does anything train? Who asks for gradients and steps nowhere explains what a model has answered."""
    seen = [node for node in events if node.op in TRAINS or node.op == "optimizer-step"]
    alone = all(node.kind == "step" and node.op == "backward" for node in seen)
    return bool(seen) and not alone


def told_so(run: Any) -> bool:
    """Do the documents start this program by itself, never by a launcher, and can it be run so? What begins a group
    whatever it is told cannot; a trainer that takes what its launcher gives it can, and so can what begins one on one
    side of a branch, if it does not train or has this from code that others share. Who trains beside others that a
    launcher starts may be started like them one day, unless it is shown one device. So does who only answers on one,
    whatever starts it there."""
    told = run.project.started
    if run.entry.kind != "script":
        return False
    seen = [(node, path) for node, path in run.walk() if isinstance(node, Event)]
    trains = learns(node for node, _ in seen)
    one_device = told.on_one_device(run.entry.path)
    if not told.by_itself(run.entry.path) and (trains or not one_device):
        return False
    if not one_device and trains and told.beside_launched(run.entry.path):
        return False
    prepared = ((node, path) for node, path in seen if node.op == "prepare")
    if not one_device and any(trains or not left_to_choose(run, node, path) for node, path in prepared):
        return False
    for node, path in seen:
        if node.api.startswith("jax."):
            return False
        if node.op == "fit":  # which starts as many processes as it finds devices
            return one_device
        if node.op in STARTS:
            shared = not trains or node.path != run.entry.path
            content = left_to_choose(run, node, path) or (not trains and needs_no_launcher(node))
            return takes_what_is_launched(node) or bool((told.launching or not trains) and shared and content)
    return any(node.op == "train" for node, _ in seen)  # a trainer that is content with one process


def needs_no_launcher(start: Event) -> bool:
    """`init_process_group("nccl", init_method=address, rank=rank, world_size=size)`: all it has to know it is told."""
    call = start.extra.get("call")
    place = call.get("init_method") if call is not None else None
    if call is None or place is None or (isinstance(place, Const) and str(place.value).startswith("env")):
        return False
    return None not in (call.get("rank"), call.get("world_size"))


def begins_no_group(run: Any) -> bool:
    """A whole program on whose way nobody begins a group, or starts other processes."""
    starts = (node for node, _ in run.walk() if isinstance(node, Event) and node.op in STARTS)
    return run.entry.kind == "script" and not spawns(run) and next(starts, None) is None


def without_a_group(run: Any) -> bool:
    """A whole program that never begins a group, and wraps its model on one side of a branch if at all. That side
    (`if opt["dist"]: model = DDP(model)`), in code it shares with programs that do begin one, would raise here: it is
    not what this program does. Nor is what its helpers say where there are others, if its own file has no word of
    them, or if it does not train and is not started like those that do."""
    if run.entry.kind != "script":
        return False
    events = [(node, path) for node, path in run.walk() if isinstance(node, Event)]
    if any(node.op in STARTS for node, _ in events):
        return False
    talks = [(node, path) for node, path in events if node.kind in COMMUNICATES and node.op not in OF_A_WRAPPER]
    free = [works_alone(run, node) for node, _ in talks]
    if not talks or not all(
        alone or node.api.startswith("torch.") for alone, (node, _) in zip(free, talks, strict=True)
    ):
        return False
    if run.facts.get(ASKED) is None and all(any(isinstance(one, Choice) for one in path) for _, path in talks):
        return True
    by_itself = says_nothing_of_others(run) or (not_launched(run) and not learns(node for node, _ in events))
    chosen = (alone or left_to_choose(run, *talk) for alone, talk in zip(free, talks, strict=True))
    return by_itself and all(chosen)


def works_alone(run: Any, event: Event) -> bool:
    """Does this talk to others only where there is a group, and is it content without one?"""
    row = run.knowledge.api(event.api)
    return row is not None and bool(row.extra.get("works_alone"))


def says_nothing_of_others(run: Any) -> bool:
    """Is there no word of ranks in the program's own file, and no launcher that starts it in the documents?"""
    module = run.project.module(run.entry.path)
    named = module is None or not module.tokens.isdisjoint(run.knowledge.places)
    return not named and not run.project.started.by_a_launcher(run.entry.path)


def not_launched(run: Any) -> bool:
    """Do the documents start other programs by a launcher, and not this one?"""
    told = run.project.started
    return bool(told.launching) and not told.by_a_launcher(run.entry.path)


def nothing_together(run: Any) -> bool:
    """A script that makes an `Accelerator()` for its number format or its device, and does nothing with others: it
    trains nothing, has no data divided, and says nothing. Every rank would do the same work, whatever it does as the
    first, so nobody starts several unless the documents do."""
    path = run.entry.path
    if run.entry.kind != "script" or run.facts.get(ASKED_FOR_NUMBERS) or run.project.started.as_several_processes(path):
        return False
    events = [node for node, _ in run.walk() if isinstance(node, Event)]
    starts = [node for node in events if node.op in STARTS]
    talks = [node for node in events if node.kind in COMMUNICATES and node.op not in (*STARTS, *OF_A_MODEL)]
    trains = any(node.op in TRAINS or node.op == "prepare" for node in events)
    idle = not talks and not trains and not any(map(divides, run.facts.get("loaders", {}).values()))
    return bool(starts) and idle and all(takes_what_is_launched(node) for node in starts)


def divides(loader: Any) -> bool:
    sampler = loader.attributes.get("sampler")
    return isinstance(sampler, Object) and bool(sampler.facts.get("shards"))


def serves(run: Any) -> bool:
    """A page or a port for users, in a program that takes what its launcher gives it: no launcher starts it."""
    seen = [node for node, _ in run.walk() if isinstance(node, Event)]
    starts = [node for node in seen if node.op in STARTS]
    return (
        run.entry.kind == "script"
        and any(node.op == "serve" for node in seen)
        and all(takes_what_is_launched(node) for node in starts)
    )


def for_what_is_built(run: Any) -> bool:
    """Does every group begin and end inside the making of some object, such as a data set that agrees with itself
    where it happens to be one of several? Such a group says nothing of who makes the object."""
    if run.entry.kind != "script":
        return False
    seen = [(node, path) for node, path in run.walk() if isinstance(node, Event)]
    starts = [path for node, path in seen if node.op in STARTS]
    if not starts or any(node.op in TRAINS or node.op == "prepare" for node, _ in seen):
        return False
    built = {id(call) for node, path in seen if node.op == "destroy" for call in makers(path)}
    return all(built & {id(call) for call in makers(path)} for path in starts)


def makers(path: Any) -> list[Call]:
    return [node for node in path if isinstance(node, Call) and node.function.endswith(".__init__")]


def hosts_meet(run: Any, event: Event) -> bool:
    """A program over all devices and a checkpoint of all hosts are the same calls where one host is all there is. That
    there are others is shown by who asks which of them it is, joins them, or speaks to them otherwise."""
    if not of_any_number(event) or run.facts.get(jax_facts.TOLD_APART):
        return True
    known: bool | None = run.cache.get("hosts meet")
    if known is None:
        met = (node for node, _ in run.walk() if isinstance(node, Event) and node.kind in COMMUNICATES)
        known = run.cache["hosts meet"] = any(not of_any_number(node) for node in met)
    return known


def of_any_number(event: Event) -> bool:
    return event.op == "launch" or (event.implicit and event.api.startswith(ALSO_ALONE))


def with_others(run: Any, event: Event) -> bool:
    """Is this made together with other processes, as far as the program shows?"""
    return not event.api.startswith(ALSO_ALONE) or distributed(run)


def gathered(run: Any) -> Evidence:
    if alone(run):
        return Evidence("none")
    for node, _ in run.walk():
        if isinstance(node, Event) and (node.kind in COMMUNICATES or (node.kind == "record" and node.op in STARTS)):
            if of_one(node) or not hosts_meet(run, node):
                continue
            name = node.api.rpartition(".")[2]
            return Evidence("strong", Step.of(node, f"`{name}` shows that several processes work together"))
    asked = asks(run)
    return Evidence("medium", asked) if asked is not None else Evidence("none")


def asks(run: Any) -> Step | None:
    """Where the run asks which rank it is, or how many there are."""
    found: Step | None = run.facts.get(ASKED) or run.facts.get(ASKED_ON_A_SIDE)
    return found


def distributed(run: Any, confidence: str = "medium") -> bool:
    return evidence(run).at_least(confidence)
