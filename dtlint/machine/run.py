"""Which entry points are run, in which order, and what does each leave for the rules?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dtlint.findings import Span, Step
from dtlint.ir import nodes as ir
from dtlint.knowledge.loader import Knowledge
from dtlint.machine.core import Machine, OutOfBudget
from dtlint.machine.entries import Entry, functions_of, names_reaching, run_function, run_script
from dtlint.machine.lanes import World
from dtlint.machine.logs import Log

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

    def span(self, path: str, at: tuple[int, int, int, int]) -> Span:
        return Span(path, *at)

    def step(self, path: str, at: tuple[int, int, int, int], text: str) -> Step:
        return Step(path, at[0], text)


@dataclass(frozen=True, slots=True)
class Unit:
    """The work for one file in one phase; independent of every other unit."""

    path: str
    phase: int


def make_machine(project: Project, knowledge: Knowledge, world: World, budget: int) -> Machine:
    machine = Machine(project, knowledge, world, budget)
    machine.interesting = names_reaching(machine, project.selected, knowledge.communicating)
    machine.meaningful = names_reaching(machine, project.selected, knowledge.meaningful)
    return machine


def run_file_as_script(machine: Machine, path: str) -> Iterator[Run]:
    module = machine.project.module(path)
    if module is None or not is_script(module):
        return
    yield run_entry(machine, Entry("script", path, "<module>", 1), lambda: run_script(machine, path))


def is_script(module: ir.Module) -> bool:
    """A module that does something when run: a main guard, or calls at its top level."""
    for statement in module.body:
        if isinstance(statement, ir.If | ir.For | ir.While | ir.With | ir.Try):
            return True
        if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call | ir.Await):
            return True
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Call):
            return True
    return False


def run_unreached(machine: Machine, path: str, reached: frozenset[tuple[str, str]]) -> Iterator[Run]:
    module = machine.project.module(path)
    if module is None:
        return
    waiting = [
        (function, owner)
        for function, owner in functions_of(module)
        if (path, function.qualname) not in reached and not function.tokens.isdisjoint(machine.interesting)
    ]
    used = set()
    for function, _ in functions_of(module):
        used |= function.tokens
    waiting.sort(key=lambda pair: (pair[0].name in used, (pair[0].at or (0,))[0]))
    for function, owner in waiting:
        if id(function) in machine.reached:
            continue
        entry = Entry("function", path, function.qualname, (function.at or (1,))[0])
        yield run_entry(
            machine, entry, lambda function=function, owner=owner: run_function(machine, path, function, owner)
        )


def run_entry(machine: Machine, entry: Entry, start: Any) -> Run:
    log = Log()
    machine.sinks = [(log, machine.world.full)]
    machine.spent = 0
    machine.stack = []
    machine.facts = {}
    machine.journal = []
    machine.remembered = {}
    incomplete = []
    try:
        start()
    except OutOfBudget:
        incomplete.append((entry.path, f"`{entry.name}` needs more steps than the budget allows"))
    except RecursionError:
        incomplete.append((entry.path, f"`{entry.name}` is nested too deeply"))
    run = Run(entry, log, machine.world, machine.project, machine.knowledge, machine.facts, incomplete)
    return run


def finish_entry(machine: Machine) -> None:
    """Forget what the entry wrote; modules it loaded stay."""
    machine.rollback(0)
    machine.journal = []


def analyse(project: Project, knowledge: Knowledge, config: Any) -> Iterator[Run]:
    """All entry points of the project, one after the other, in one process."""
    world = World.parse(getattr(config, "world", "2x2") or "2x2")
    budget = getattr(config, "budget", None) or 400_000
    machine = make_machine(project, knowledge, world, budget)
    for path in project.selected:
        for run in run_file_as_script(machine, path):
            yield run
            finish_entry(machine)
    for path in project.selected:
        for run in run_unreached(machine, path, frozenset()):
            yield run
            finish_entry(machine)
