"""Which compiled programs does the script run, what is inside them, and do their replicas stay equal?

Two private places of JAX are listened to: where a jaxpr is lowered, and where a compiled program is called. Both are
looked up by name first: on a JAX that has moved them, the run says what it could not watch.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from dtlint.trace.frames import is_user_file, user_stack
from dtlint.trace.jax import replay, varying, walk

LARGEST_COMPARED = 4_000_000  # elements
SHOWN_LAUNCHES = 3
MOST_REPLAYS = 60


class Stopped(BaseException):
    """The run has its answer. Not an Exception, so that `except Exception` lets it through."""


@dataclass(eq=False)
class Program:
    """One compiled program of the script."""

    name: str
    jaxpr: Any
    place: dict[str, object]
    mapped: list[Any]
    collectives: list[walk.Collective]
    hazards: list[varying.Hazard]
    devices: int = 1
    launches: int = 0
    agreed: int = 0  # launches that were played and did not part
    equal_inputs: frozenset[int] = frozenset()
    players: dict[int, replay.Player] = field(default_factory=dict)
    dropped: bool = False  # cannot be played

    @property
    def fingerprint(self) -> str:
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
            where = f"{place['path'].rpartition('/')[2]}:{place['line']}: " if place["line"] else ""  # type: ignore[union-attr]
            self.tell({"type": "fact", "fact": {"kind": kind, "text": where + text, "place": place, **more}})


def here() -> list[dict[str, object]]:
    return user_stack(sys._getframe(1))


def install(watcher: Watcher) -> list[str]:
    """Put the hooks in place; what this version of JAX does not have is returned as notices."""
    notices = []
    try:
        from jax._src import pjit
        from jax._src.interpreters import pxla

        lower, call, compile_ = pxla.lower_sharding_computation, pxla.ExecuteReplicated.__call__, pxla.MeshComputation.compile
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
                    _lower_for_tpu(lower, jaxpr, arguments, options, program, watcher)
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
                _after(program, results, stack, watcher)
        return results

    pxla.lower_sharding_computation = hooked_lower
    pxla.MeshComputation.compile = hooked_compile
    pxla.ExecuteReplicated.__call__ = hooked_call
    pjit._get_fastpath_data = lambda *_, **__: None
    _name_pmaps()
    return notices


_pmapped = threading.local()


def _name_pmaps() -> None:
    """Programs of pmap are called `_fun` by JAX: remember what the user called them."""
    original = jax.pmap

    def pmap(fun: Any, *arguments: Any, **options: Any) -> Any:
        mapped = original(fun, *arguments, **options)
        name = getattr(fun, "__name__", "") or getattr(getattr(fun, "func", None), "__name__", "")

        class Named:
            def __init__(self) -> None:
                self.__wrapped__ = fun

            def __call__(self, *values: Any, **keywords: Any) -> Any:
                before = getattr(_pmapped, "name", "")
                _pmapped.name = name
                try:
                    return mapped(*values, **keywords)
                finally:
                    _pmapped.name = before

            def __getattr__(self, attribute: str) -> Any:
                return getattr(mapped, attribute)

        return Named()

    jax.pmap = pmap


def in_pmap() -> bool:
    return bool(getattr(_pmapped, "name", ""))


def _program(jaxpr: Any, arguments: tuple[Any, ...], watcher: Watcher) -> Program:
    name = str(arguments[1]) if len(arguments) > 1 else "program"
    if name == "_fun" and getattr(_pmapped, "name", ""):
        name = _pmapped.name
    mapped = walk.mapped(jaxpr)
    key = _fingerprint(jaxpr) if mapped else f"{name} {id(jaxpr.jaxpr)}"
    known = watcher.programs.get(key)
    if known is not None:  # lowered again for arguments that lie elsewhere
        return known
    hazards = [hazard for equation in mapped for hazard in varying.analyse(equation)]
    stack = here()
    program = Program(name, jaxpr, stack[-1] if stack else walk.NOWHERE, mapped, walk.collectives(jaxpr), hazards)
    watcher.programs[key] = program  # which keeps the jaxpr, and so its id, alive
    for hazard in hazards:
        if hazard.place["line"] and is_user_file(str(hazard.place["path"])):
            watcher.fact(hazard.kind, hazard.text, hazard.place, axes=hazard.axes, inner=hazard.inner)
    return program


def _before(program: Program, given: list[Any], stack: list[dict[str, object]], watcher: Watcher) -> None:
    if not program.mapped:
        return
    equal = _equal_rows(program, given)
    if program.launches == 1:
        program.equal_inputs = equal
        _shared_keys(program, given, equal, watcher)
    else:
        _compare_replicas(program, given, equal, stack, watcher)
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


def _rows(program: Program) -> dict[int, int]:
    """input → devices, for inputs that a pmap splits into one row for each device."""
    if len(program.mapped) != 1 or len(program.jaxpr.jaxpr.eqns) != 1:
        return {}
    equation = program.mapped[0]
    sizes = walk.axis_sizes(equation.params["mesh"])
    if len(sizes) != 1:
        return {}
    (devices,) = sizes.values()
    table = {}
    for index, spec in enumerate(walk.specs(equation, "in")):
        variable = equation.invars[index]
        position = _position(program.jaxpr.jaxpr.invars, variable)
        shape = getattr(variable.aval, "shape", ())
        if position is not None and 0 in spec and shape and shape[0] == devices > 1:
            table[position] = devices
    return table


def _position(variables: Any, variable: Any) -> int | None:
    return next((index for index, item in enumerate(variables) if item is variable), None)


def _values(array: Any) -> np.ndarray | None:
    try:
        if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        if array.size > LARGEST_COMPARED:
            return None
        return np.asarray(array)
    except Exception:
        return None


def _equal_rows(program: Program, given: list[Any]) -> frozenset[int]:
    """Inputs whose rows are equal on all devices."""
    equal = set()
    for position in _rows(program):
        values = _values(given[position])
        if values is not None and all(np.array_equal(values[0], row, equal_nan=True) for row in _numbers(values)[1:]):
            equal.add(position)
    return frozenset(equal)


def _numbers(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind in "fciub" else values.astype(np.float32)


def _is_key(array: Any) -> bool:
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
        return True
    return array.dtype == np.uint32 and array.ndim >= 1 and array.shape[-1] == 2


def _shared_keys(program: Program, given: list[Any], equal: frozenset[int], watcher: Watcher) -> None:
    """A key that was copied to all devices is sharded in type and shared in value."""
    if len(program.mapped) != 1:
        return
    equation = program.mapped[0]
    inner = {_position(equation.invars, program.jaxpr.jaxpr.invars[index]) for index in equal if _is_key(given[index])}
    shared = frozenset(index for index in inner if index is not None)
    if not shared:
        return
    for hazard in varying.analyse(equation, shared):
        if hazard.kind == "shared-key":
            watcher.fact("shared-key", hazard.text, hazard.place, axes=hazard.axes, call=program.place)


def _compare_replicas(
    program: Program, given: list[Any], equal: frozenset[int], stack: list[dict[str, object]], watcher: Watcher
) -> None:
    """What was equal on all devices and has come back from a mapped program different."""
    known = {id(array) for array in watcher.recent}
    for position in sorted(program.equal_inputs - equal):
        array = given[position]
        if id(array) not in known or array.dtype.kind not in "fc":
            continue
        values = _values(array)
        if values is None:
            continue
        spread = float(np.nanmax(np.abs(values - values[:1])))
        text = f"argument {position} of {program.name} was equal on all devices before the first call and differs now (by {spread:.3g})"
        watcher.drift(program, text, stack[-1] if stack else program.place)
        return


def _after(program: Program, results: Any, stack: list[dict[str, object]], watcher: Watcher) -> None:
    """Keep the results; an array said to be replicated must have equal copies."""
    for number, array in enumerate(results):
        watcher.recent.append(array)
        if program.launches > SHOWN_LAUNCHES or not isinstance(array, jax.Array) or not array.is_fully_replicated:
            continue
        shards = array.addressable_shards
        if len(shards) < 2 or array.size > LARGEST_COMPARED or array.dtype.kind not in "fciub":
            continue
        first = np.asarray(shards[0].data)
        if any(not np.array_equal(first, np.asarray(shard.data), equal_nan=True) for shard in shards[1:]):
            text = f"result {number} of {program.name} is declared equal on all devices and is not"
            watcher.drift(program, text, stack[-1] if stack else program.place)
            return


def _lower_for_tpu(
    lower: Any, jaxpr: Any, arguments: tuple[Any, ...], options: dict[str, Any], program: Program, watcher: Watcher
) -> None:
    """No device needed: does it lower, and what does it communicate there?"""
    try:
        text = lower(jaxpr, *arguments, **{**options, "lowering_platforms": ("tpu",)}).stablehlo()
        count = sum(str(text).count(word) for word in ("all_reduce", "all_gather", "reduce_scatter", "collective_permute", "all_to_all"))
        watcher.fact("tpu-lowering", f"{program.name} lowers for TPU with {count} collective operations", program.place)
    except Exception as problem:
        watcher.fact("tpu-lowering", f"{program.name} does not lower for TPU: {str(problem)[:200]}", program.place)
