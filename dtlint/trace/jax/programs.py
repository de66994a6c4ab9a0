"""Which compiled programs does the script run, what is inside them, and do their replicas stay equal?

Two private places of JAX are listened to: where a jaxpr is lowered, and where a compiled program is called. Both are
looked up by name first: on a JAX that has moved them, the run says what it could not watch.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dtlint.trace.frames import is_user_file, user_stack
from dtlint.trace.jax import pmaps, replay, replicas, tpu, varying, walk

SHOWN_LAUNCHES = 3
MOST_REPLAYS = 60


class Stopped(BaseException):
    """The run has its answer. Not an Exception, so that `except Exception` lets it through."""


@dataclass(eq=False)
class Program:
    """One compiled program of the script."""

    name: str
    jaxpr: Any
    place: dict[str, object]  # of the first call
    made: dict[str, object] | None  # of the pmap
    mapped: list[Any]
    collectives: list[walk.Collective]
    hazards: list[varying.Hazard]
    devices: int = 1
    launches: int = 0
    agreed: int = 0  # launches that were played and did not part
    equal_inputs: frozenset[int] = frozenset()
    drawn_inputs: frozenset[int] = frozenset()
    players: dict[int, replay.Player] = field(default_factory=dict)
    dropped: bool = False  # cannot be played

    @property
    def where(self) -> dict[str, object]:
        """All the lines that a fact about this program may be attached to."""
        return {"call": self.place, "made": self.made, "lines": self.lines}

    @property
    def lines(self) -> dict[str, list[int]]:
        """The user's lines that this program came from."""
        found: dict[str, set[int]] = {}
        for equation, _ in walk.equations(self.jaxpr):
            for place in walk.user_places(equation):
                found.setdefault(str(place["path"]), set()).add(int(str(place["line"])))
        return {path: sorted(numbers) for path, numbers in found.items()}

    @property
    def fingerprint(self) -> str:
        """What hosts must agree on: everything for a program over global arrays, the collectives for a pmap."""
        if pmaps.running() is not None:
            made = [(item.operation, item.axes) for item in self.collectives]
            return hashlib.sha256(repr(made).encode()).hexdigest()[:16]
        return _fingerprint(self.jaxpr)


def _fingerprint(jaxpr: Any) -> str:
    """Equal for programs that compute the same, constants included."""
    digest = hashlib.sha256(str(jaxpr.jaxpr).encode())
    for constant in jaxpr.consts:
        with contextlib.suppress(Exception):
            digest.update(np.asarray(constant).tobytes())
    return digest.hexdigest()[:16]


@dataclass
class Watcher:
    """Everything the hooks know. `tell` takes facts and events, `launch` is asked before a program runs."""

    tell: Callable[[dict[str, Any]], None]
    launch: Callable[[Program, list[dict[str, object]]], None]
    part: Callable[[Program, replay.Parted, replay.Player], None]
    drift: Callable[[Program, str, dict[str, object]], None]
    tpu: bool = False
    busy: threading.local = field(default_factory=threading.local)
    lowered: Any = field(default_factory=weakref.WeakKeyDictionary)  # computation → program
    compiled: Any = field(default_factory=weakref.WeakKeyDictionary)  # executable → program
    recent: deque[Any] = field(default_factory=lambda: deque(maxlen=4096))  # results of mapped programs, kept alive
    told: set[tuple[object, ...]] = field(default_factory=set)
    programs: dict[str, Program] = field(default_factory=dict)

    @property
    def ran(self) -> list[Program]:
        """The programs that were launched on more than one device."""
        return [program for program in self.programs.values() if program.launches and program.devices > 1]

    @contextlib.contextmanager
    def silently(self) -> Iterator[None]:
        """What dtlint computes itself is no event of the script."""
        before = getattr(self.busy, "on", False)
        self.busy.on = True
        try:
            yield
        finally:
            self.busy.on = before

    @property
    def is_busy(self) -> bool:
        return getattr(self.busy, "on", False)

    def fact(self, kind: str, text: str, place: dict[str, object], **more: object) -> None:
        key = (kind, text, place["path"], place["line"])
        if key not in self.told:
            self.told.add(key)
            where = f"{os.path.basename(str(place['path']))}:{place['line']}: " if place["line"] else ""
            self.tell({"type": "fact", "fact": {"kind": kind, "text": where + text, "place": place, **more}})


def here() -> list[dict[str, object]]:
    return user_stack(sys._getframe(1))


def install(watcher: Watcher) -> list[str]:
    """Put the hooks in place; what this version of JAX does not have is returned as notices."""
    try:
        from jax._src import pjit
        from jax._src.interpreters import pxla

        lower, call, compile_ = (
            pxla.lower_sharding_computation,
            pxla.ExecuteReplicated.__call__,
            pxla.MeshComputation.compile,
        )
        pjit._get_fastpath_data  # noqa: B018
    except (ImportError, AttributeError) as error:
        return [f"programs are not watched: this JAX has moved what dtlint listens to ({error})"]

    def hooked_lower(jaxpr: Any, *arguments: Any, **options: Any) -> Any:
        computation = lower(jaxpr, *arguments, **options)
        if not watcher.is_busy:
            with watcher.silently():
                program = _program(jaxpr, arguments, watcher)
                watcher.lowered[computation] = program
                if watcher.tpu and program.collectives:
                    told = tpu.answer(lower, jaxpr, arguments, options)
                    watcher.fact("tpu-lowering", f"{program.name} {told}", program.place)
        return computation

    def hooked_compile(self: Any, *arguments: Any, **options: Any) -> Any:
        executable = compile_(self, *arguments, **options)
        program = watcher.lowered.get(self)
        inner = getattr(executable, "unsafe_call", None)
        if program is not None and inner is not None:
            with contextlib.suppress(TypeError):
                watcher.compiled[inner] = program
        return executable

    def hooked_call(self: Any, *arguments: Any) -> Any:
        program = None if watcher.is_busy else watcher.compiled.get(self)
        if program is None:
            return call(self, *arguments)
        stack = here()
        with watcher.silently():
            program.devices = len(self.xla_executable.local_devices())
            program.launches += 1
            given = list(arguments)[-len(program.jaxpr.jaxpr.invars) :] if program.jaxpr.jaxpr.invars else []
            _before(program, given, stack, watcher)
        watcher.launch(program, stack)
        results = call(self, *arguments)
        if program.mapped:
            with watcher.silently():
                watcher.recent.extend(results)
                if program.launches <= SHOWN_LAUNCHES and (text := replicas.unequal_copies(program, results)):
                    watcher.drift(program, text, stack[-1] if stack else program.place)
        return results

    pxla.lower_sharding_computation = hooked_lower
    pxla.MeshComputation.compile = hooked_compile
    pxla.ExecuteReplicated.__call__ = hooked_call
    pjit._get_fastpath_data = lambda *_, **__: None
    pmaps.listen()
    return []


def _program(jaxpr: Any, arguments: tuple[Any, ...], watcher: Watcher) -> Program:
    name = str(arguments[1]) if len(arguments) > 1 else "program"
    name = pmaps.current_name(name)
    mapped = walk.mapped(jaxpr)
    key = _fingerprint(jaxpr) if mapped else f"{name} {id(jaxpr.jaxpr)}"
    known = watcher.programs.get(key)
    if known is not None:  # lowered again for arguments that lie elsewhere
        return known
    hazards = [hazard for equation in mapped for hazard in varying.analyse(equation)]
    stack = here()
    place = stack[-1] if stack else walk.NOWHERE
    program = Program(name, jaxpr, place, pmaps.made(), mapped, walk.collectives(jaxpr), hazards)
    watcher.programs[key] = program  # which keeps the jaxpr, and so its id, alive
    for hazard in hazards:
        if hazard.place["line"] and is_user_file(str(hazard.place["path"])):
            watcher.fact(
                hazard.kind,
                hazard.text,
                hazard.place,
                axes=hazard.axes,
                inner=hazard.inner,
                **program.where,
            )
    return program


def _before(program: Program, given: list[Any], stack: list[dict[str, object]], watcher: Watcher) -> None:
    if not program.mapped:
        return
    equal = replicas.equal_rows(program, given)
    if program.launches == 1:
        program.equal_inputs, program.drawn_inputs = equal, replicas.drawn(given, equal)
        for hazard in replicas.shared_keys(program, given, equal):
            watcher.fact("shared-key", hazard.text, hazard.place, axes=hazard.axes, **program.where)
    else:
        text, certain = replicas.drifted(program, given, equal, {id(array) for array in watcher.recent})
        place = stack[-1] if stack else program.place
        if certain:
            watcher.drift(program, text, place)
        elif text:
            watcher.fact(
                "replicas-differ", f"{text}: a missing reduction, or a state of its own", place, **program.where
            )
    if any(hazard.kind == "varying-predicate" for hazard in program.hazards):
        _replay(program, given, watcher)


def _replay(program: Program, given: list[Any], watcher: Watcher) -> None:
    if program.dropped or program.agreed >= MOST_REPLAYS:
        return
    for equation in program.mapped:
        if not any(hazard.kind == "varying-predicate" for hazard in varying.analyse(equation)):
            continue
        player = program.players.setdefault(id(equation), replay.Player(walk.axis_sizes(equation.params["mesh"])))
        try:
            inputs = replay.inputs_of(equation, program.jaxpr, program.jaxpr.consts, given)
            replay.play(equation, inputs, player)
            program.agreed += 1
        except replay.Parted as parted:
            watcher.part(program, parted, player)
        except Exception as problem:
            program.dropped = True
            text = f"{program.name} could not be played device by device ({type(problem).__name__}: {problem})"
            watcher.tell({"type": "notice", "text": text[:300]})
