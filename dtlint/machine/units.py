"""How is the work divided? One unit is one file in one phase; units know nothing of each other.

Phase one runs every module body as a script, phase two every function that no script of phase one reached. A unit's
result depends on what it looked into and on nothing else, so it can be made in any process, in any order, and be
remembered until some of that changes.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from dtlint.findings import Finding, paths_of
from dtlint.ir.stack import on_deep_stack, without_collector
from dtlint.launch.said import Said
from dtlint.machine.core import Machine
from dtlint.machine.names.scopes import through_imports
from dtlint.machine.run import Run, finish_entry, load_modules, run_file_as_script, run_unreached
from dtlint.machine.uses import Named, Uses
from dtlint.source.text import Incomplete

Ask = Callable[[Run], tuple[list[Finding], list[Incomplete], list[Said]]]
Reached = frozenset[Named]
WORTH_FORKING = 12  # units; below that a second process costs more than it saves
MUCH = 5_000_000  # blocks of memory; below that looking for garbage costs more than it saves


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    phase: int
    path: str


@dataclass(slots=True)
class Outcome:
    """What one unit found, what its program says to launch files, which functions it ran, and what the answer rests on:
    the bindings of the modules in `touched`, the bodies of the functions in `consulted`, and everything in the files in
    `whole`."""

    unit: Unit
    findings: list[Finding] = field(default_factory=list)
    incomplete: list[Incomplete] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    reached: list[Named] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    consulted: list[Named] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)


def run_unit(machine: Machine, unit: Unit, reached: Reached, ask: Ask) -> Outcome:
    machine.uses = Uses()
    machine.project.looked = {unit.path}
    outcome = Outcome(unit)
    runs = run_file_as_script(machine, unit.path) if unit.phase == 1 else run_unreached(machine, unit.path, reached)
    for run in runs:
        findings, incomplete, said = ask(run)
        outcome.findings += findings
        outcome.said += said
        outcome.incomplete += incomplete
        outcome.incomplete += [Incomplete(path, run.entry.line, reason) for path, reason in run.incomplete]
        finish_entry(machine)
    uses = through_imports(machine, machine.uses.touched)
    uses.add(machine.uses)
    for path in sorted(uses.touched):
        reason = machine.unfinished_modules.get(path)
        if reason is not None:
            outcome.incomplete.append(Incomplete(path, 1, reason))
    # A place that is told of is told with its line, which moves with everything above it.
    told = {path for finding in outcome.findings for path in paths_of(finding)}
    told.update(problem.path for problem in outcome.incomplete)
    told.update(one.path for one in outcome.said)
    outcome.reached = sorted(uses.reached)
    outcome.touched = sorted(uses.touched)
    outcome.consulted = sorted(uses.consulted)
    outcome.whole = sorted(machine.project.looked | told)
    return outcome


def run_all(
    machine: Machine,
    paths: Sequence[str],
    ask: Ask,
    jobs: int,
    known: Callable[[Unit, Reached], Outcome | None] = lambda unit, reached: None,
    done: Callable[[Outcome, Reached], None] = lambda outcome, reached: None,
) -> Iterator[Outcome]:
    """Every unit's outcome; `known` answers those that need not be run, `done` hears of those that were."""
    everything: set[tuple[str, str]] = set()
    workers = Workers(machine, ask, jobs)
    try:
        for phase in (1, 2):
            reached = frozenset(everything)
            waiting = []
            for path in paths:
                unit = Unit(phase, path)
                outcome = known(unit, reached)
                if outcome is None:
                    waiting.append(unit)
                else:
                    everything.update(outcome.reached)
                    yield outcome
            for outcome in workers.run(waiting, reached):
                everything.update(outcome.reached)
                done(outcome, reached)
                yield outcome
    finally:
        workers.close()


class Workers:
    """Forked copies of this process that keep their loaded modules from one phase to the next."""

    def __init__(self, machine: Machine, ask: Ask, jobs: int) -> None:
        self.machine = machine
        self.ask = ask
        self.jobs = jobs
        self.pipes: list[Connection] = []
        self.processes: list[Any] = []
        self.same: dict[Any, Any] = {}  # files and functions that units have looked into
        self.loaded = False  # has every module been loaded, and entered its classes where others ask for them?

    def run(self, units: list[Unit], reached: Reached) -> Iterator[Outcome]:
        if not self.pipes and (self.jobs < 2 or len(units) < WORTH_FORKING or not can_fork()):
            if units and len(self.machine.project.selected) >= WORTH_FORKING:
                self.load()  # what a program finds in a table does not depend on who else is run, nor where
            for unit in units:
                yield on_deep_stack(run_unit, self.machine, unit, reached, self.ask)
            return
        if not self.pipes:
            self.start()
        size = {unit: len(self.machine.project.text(unit.path)) for unit in units}
        queue = sorted(units, key=lambda unit: (-size[unit], unit))
        busy: dict[Connection, Unit] = {}
        for pipe in self.pipes:
            pipe.send(reached)
        for pipe in self.pipes:
            if queue:
                busy[pipe] = queue.pop(0)
                pipe.send(busy[pipe])
        finished: dict[Unit, Outcome] = {}
        while busy:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                outcome = ready.recv()
                self.share(outcome)
                finished[busy.pop(ready)] = outcome
                if queue:
                    busy[ready] = queue.pop(0)
                    ready.send(busy[ready])
        for unit in units:
            yield finished[unit]

    def load(self) -> None:
        if not self.loaded:
            self.loaded = True
            on_deep_stack(load_modules, self.machine)

    def share(self, outcome: Outcome) -> None:
        """What comes out of a pipe is made anew each time, and thousands of units may name the same files."""
        for name in ("reached", "touched", "consulted", "whole"):
            setattr(outcome, name, [self.same.setdefault(one, one) for one in getattr(outcome, name)])

    def start(self) -> None:
        context = multiprocessing.get_context("fork")
        with without_collector():  # what is loaded stays, and the collector would look at all of it when it is let on
            self.load()
            gc.freeze()
        for _ in range(self.jobs):
            here, there = context.Pipe()
            inherited = [*self.pipes, here]
            process = context.Process(target=serve, args=(self.machine, self.ask, there, inherited), daemon=True)
            process.start()
            there.close()
            self.pipes.append(here)
            self.processes.append(process)

    def close(self) -> None:
        for pipe in self.pipes:
            with contextlib.suppress(OSError):  # it ended before
                pipe.send(None)
            pipe.close()
        for process in self.processes:
            process.join(timeout=1)
            if process.is_alive():
                process.terminate()
        self.pipes, self.processes = [], []


def can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


def serve(machine: Machine, ask: Ask, pipe: Connection, inherited: list[Connection]) -> None:
    """A worker's life: a frozenset is a new phase, a unit is work, None is the end. The parent's ends of the pipes must
    be its alone: when it is killed, they close, and that is the end, too."""
    for other in inherited:
        other.close()
    gc.disable()
    on_deep_stack(answer, machine, ask, pipe)


def answer(machine: Machine, ask: Ask, pipe: Connection) -> None:
    reached: Reached = frozenset()
    held = sys.getallocatedblocks()
    while True:
        try:
            message = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        if message is None:
            return
        if isinstance(message, frozenset):
            reached = message
            continue
        outcome = run_unit(machine, message, reached, ask)
        try:
            pipe.send(outcome)
        except OSError:
            return  # nobody is left to hear it
        if sys.getallocatedblocks() - held > MUCH:
            gc.collect(0)  # what is older has been through it before, and lives on
            held = sys.getallocatedblocks()
