"""Which entry points are run, in which order, and what does each leave for the rules?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from dtlint.findings import Span
from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.ir.stack import without_collector
from dtlint.knowledge.known import Knowledge
from dtlint.machine.control import statements
from dtlint.machine.control.consistent import NOTHING, Sorting, consistent
from dtlint.machine.core import DEEPEST, Machine, OutOfBudget
from dtlint.machine.functions import following
from dtlint.machine.functions.reaching import names_reaching
from dtlint.machine.lanes import World
from dtlint.machine.library.jax.keys import CARRIERS
from dtlint.machine.logs import Log, LogNode
from dtlint.machine.names import expressions
from dtlint.machine.names.frames import Frame
from dtlint.machine.names.scopes import load_module, through_imports
from dtlint.machine.noted import Noted
from dtlint.machine.starts import telling
from dtlint.machine.starts.called_by_frameworks import for_a_framework, on_several_ranks
from dtlint.machine.starts.driving import callers_first, drivers, joining
from dtlint.machine.starts.entries import MADE, Entry, run_function, run_script, tells_who_it_is
from dtlint.machine.starts.parting_state import attributes_by_class
from dtlint.machine.starts.run_before import CONSTRUCTORS
from dtlint.machine.starts.scripts import FUNCTION_DEEPEST, FUNCTION_NEAR, is_script
from dtlint.machine.uses import Uses
from dtlint.machine.walks import walk

if TYPE_CHECKING:
    from dtlint.project.modules import Project


@dataclass(slots=True)
class Run:
    """What one entry point made the ranks do."""

    entry: Entry
    log: Log
    world: World
    project: Project
    knowledge: Knowledge
    facts: dict[str, Any]
    incomplete: list[tuple[str, str]] = field(default_factory=list)
    cache: dict[str, Any] = field(default_factory=dict)
    begun: dict[str, Any] = field(default_factory=dict)  # known to all runs that begin with the same constructor

    def walk(self) -> tuple[tuple[LogNode, tuple[LogNode, ...]], ...]:
        """Every node of the log with the nodes above it; many questions go through all of them."""
        known: tuple[tuple[LogNode, tuple[LogNode, ...]], ...] | None = self.cache.get("walk")
        if known is None:
            known = self.cache["walk"] = tuple(walk(self.log))
        return known

    def span(self, path: str, at: tuple[int, int, int, int]) -> Span:
        return Span(path, *at)


def make_machine(project: Project, knowledge: Knowledge, world: World, budget: int) -> Machine:
    machine = Machine(project, knowledge, world, budget)
    machine.evaluate = partial(expressions.evaluate, machine)
    machine.run = partial(statements.run, machine)
    machine.selected = frozenset(project.selected)
    paths = (*project.selected, *helpers_aside(project))
    machine.interesting = names_reaching(project, paths, knowledge.communicating)
    machine.meaningful = names_reaching(project, paths, knowledge.meaningful)
    return machine


def helpers_aside(project: Project) -> list[str]:
    """Files that name nothing of the libraries, and have helpers of those that do: what writes a table, say."""
    chosen = set(project.selected)
    return sorted(set().union(*(project.imported(path) for path in chosen)) - chosen)


def load_modules(machine: Machine) -> None:
    """Every module, and what is asked of all files, before processes are forked that would each do it all."""
    with without_collector():
        following.own_names(machine)
        for path in machine.project.selected:
            load_first(machine, path)


def load_first(machine: Machine, path: str) -> None:
    """Load a module while nothing is being run."""
    machine.frame = Frame(path, "<module>", None, None, None, machine.world.full)
    load_module(machine, path)


def run_file_as_script(machine: Machine, path: str) -> Iterator[Run]:
    module = machine.project.tree(path)
    if module is None or not is_script(machine, path, module):
        return
    yield run_entry(machine, Entry("script", path, "<module>", 1), lambda: run_script(machine, path))


def run_unreached(machine: Machine, path: str, reached: frozenset[tuple[str, str]]) -> Iterator[Run]:
    module = machine.project.tree(path)
    if module is None:
        return
    kept = attributes_by_class(module, machine.knowledge.ranks)
    free = [pair for pair in functions_of(module) if (path, pair[0].qualname) not in reached and not is_test(*pair)]
    candidates = [
        (function, owner)
        for function, owner in free
        if tells_ranks_apart(machine, path, function, owner, kept.get(id(owner)))
        or draws(machine, module, function)
        or may_be_hook(machine, function, owner)
    ]
    if not candidates:
        return
    candidates += drivers(candidates, free)
    joined = joining(candidates, free)
    joints = {id(function) for function, _ in joined}
    candidates += joined
    machine.instances = {}
    load_first(machine, path)
    machine.uses.reached |= through_imports(machine, (path,)).reached
    waiting = [pair for pair in candidates if (path, pair[0].qualname) not in machine.uses.reached]
    for function, owner in callers_first(waiting):
        if (path, function.qualname) in machine.uses.reached:
            continue
        entry = Entry("function", path, function.qualname, (function.at or (1,))[0])
        seen = set(machine.uses.reached)
        run = run_entry(
            machine, entry, lambda function=function, owner=owner: run_function(machine, path, function, owner)
        )
        run.facts[SEEN] = reached
        if id(function) in joints:
            machine.uses.reached = seen  # whatever it gives to those it calls, others may give them something else
        yield run


SEEN = "seen from scripts"  # the functions that scripts run, and where it is known who comes there


def tells_ranks_apart(
    machine: Machine,
    path: str,
    function: ir.Function,
    owner: ir.Class | None = None,
    kept: set[str] | None = None,
) -> bool:
    """Can it communicate, and is there something in it by which ranks may part, that its class keeps of them, or that
    a framework hands it?"""
    tokens = function.tokens
    if tokens.isdisjoint(machine.interesting):
        return False
    if not tokens.isdisjoint(kept or ()) or telling.tells(machine, path, function) or telling.asks_for_counts(function):
        return True
    batches = machine.knowledge.handed.get(function.name, ()) if owner is not None else ()
    return any(param.name in batches for param in function.params)


def may_be_hook(machine: Machine, function: ir.Function, owner: ir.Class | None) -> bool:
    """Does it go by the name of a hook, in a class that tells the ranks apart here or elsewhere, and do anything that
    the packs know? Frameworks call their hooks on all ranks, and who asks for its rank has been made on all of them."""
    hook = owner is not None and function.name in machine.knowledge.hooks
    named = hook or (owner is not None and function.name in CONSTRUCTORS)
    if not named or owner is None or function.tokens.isdisjoint(machine.meaningful):
        return False
    if tells_who_it_is(machine, owner):
        return True
    return hook and for_a_framework(machine, owner) and on_several_ranks(machine)


def draws(machine: Machine, module: ir.Module, function: ir.Function) -> bool:
    """Is it handed a key to draw from, in a module that knows such keys? A key is spent whoever calls."""
    if not knows_keys(machine, module):
        return False
    return any(param.name in CARRIERS for param in function.params) or not function.tokens.isdisjoint(
        machine.knowledge.keyed
    )


def knows_keys(machine: Machine, module: ir.Module) -> bool:
    """Does it name JAX, or import something of the project that does? It may be hidden behind a module of its own."""
    if "jax" in module.tokens:
        return True
    project = machine.project
    return not project.imported(module.path).isdisjoint(project.mentioning("jax"))


def is_test(function: ir.Function, owner: ir.Class | None) -> bool:
    """Tests run in one process, or part the ranks on purpose."""
    if function.name.startswith("test_") or function.name in ("setUp", "tearDown", "setUpClass", "tearDownClass"):
        return True
    return owner is not None and (
        owner.name.startswith("Test") or owner.name.endswith(("Test", "Tests", "Tester", "TestCase"))
    )


BUDGET = 400_000  # steps of one entry point
SCRIPT_NEAR = 8


def run_entry(machine: Machine, entry: Entry, start: Any) -> Run:
    log = Log()
    machine.deepest = FUNCTION_DEEPEST if entry.kind == "function" else DEEPEST
    machine.near = FUNCTION_NEAR if entry.kind == "function" else SCRIPT_NEAR
    machine.sinks = [(log, machine.world.full)]
    machine.spent = 0
    machine.stack = []
    machine.own = None
    machine.facts = {}
    machine.told = {}
    machine.journal = []
    machine.noted = Noted()
    machine.doubtful = []
    machine.remembered = {}
    machine.making = {}
    machine.assumed = []
    incomplete = []
    try:
        start()
    except OutOfBudget:
        incomplete.append((entry.path, f"`{entry.name}` needs more steps than the budget allows"))
    except RecursionError:
        incomplete.append((entry.path, f"`{entry.name}` is nested too deeply"))
    except Exception as problem:
        if os.environ.get("DTLINT_DEBUG"):
            raise
        incomplete.append((entry.path, f"internal error in `{entry.name}`: {type(problem).__name__}: {problem}"))
    begun = begun_with(machine, log)
    whole = consistent(log, begun.sorting)
    known = begun.known
    return Run(entry, whole, machine.world, machine.project, machine.knowledge, machine.facts, incomplete, begun=known)


@dataclass(slots=True)
class Begun:
    """What a constructor did, for the methods that all begin with it."""

    made: Log = field(default_factory=Log)
    sorting: Sorting = field(default_factory=Sorting)
    known: dict[str, Any] = field(default_factory=dict)


def begun_with(machine: Machine, log: Log) -> Begun:
    nodes = log.nodes[: machine.facts.get(MADE, 0)]
    if not nodes:
        return Begun()
    kept: dict[tuple[int, ...], Begun] = machine.instances.setdefault("begun", {})
    found = kept.get(index := tuple(map(id, nodes)))
    if found is None:
        found = kept[index] = Begun()
        found.made.nodes = nodes
        found.sorting.sorted_out(found.made, NOTHING)
    return found


def finish_entry(machine: Machine) -> None:
    """Forget what the entry wrote, and what it learned of questions, which another entry may ask under the same names;
    modules it loaded stay."""
    machine.rollback(0)
    machine.journal = []
    machine.over = []
    machine.symbols.telling.clear()


def machine_for(project: Project, knowledge: Knowledge, config: Any) -> Machine:
    world = World.parse(getattr(config, "world", "2x2") or "2x2")
    return make_machine(project, knowledge, world, getattr(config, "budget", None) or BUDGET)


def analyse(project: Project, knowledge: Knowledge, config: Any) -> Iterator[Run]:
    """All runs of the project, one after the other, in this process; for questions about runs themselves."""
    machine = machine_for(project, knowledge, config)
    for path in project.selected:
        for run in run_file_as_script(machine, path):
            yield run
            finish_entry(machine)
    reached = frozenset(machine.uses.reached | through_imports(machine, machine.uses.touched).reached)
    for path in project.selected:
        machine.uses = Uses()
        for run in run_unreached(machine, path, reached):
            yield run
            finish_entry(machine)
