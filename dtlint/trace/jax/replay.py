"""Do the devices really part? A mapped program played device by device, with the collectives done in between.

XLA would hang or abort where devices part; here every device is a lane of one interpreter, so that the place where some
wait and others never come is known at once. Only programs with a predicate that varies by device are played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dtlint.trace.jax import walk
from dtlint.trace.jax.exchange import exchange

LONGEST_LOOP = 2_000
CALLS = {"jit", "pjit", "closed_call", "core_call", "remat2", "checkpoint", "custom_jvp_call", "custom_vjp_call",
         "custom_vjp_call_jaxpr", "custom_lin", "remat"}  # fmt: skip
Lane = int
Values = dict[Lane, Any]


class NotPlayable(Exception):
    """The interpreter does not know something in this program."""


@dataclass(frozen=True)
class Turn:
    """One collective as one device made it."""

    lane: Lane
    operation: str
    axes: tuple[str, ...]
    place: dict[str, object]
    done: bool


@dataclass
class Parted(Exception):
    """Some devices wait in a collective, the others took another way."""

    waiting: tuple[Lane, ...]
    absent: tuple[Lane, ...]
    operation: str
    axes: tuple[str, ...]
    place: dict[str, object]
    decision: dict[str, object]  # the cond or while where they parted
    how: str


@dataclass
class Fork:
    """The innermost decision that separated the lanes in play from the rest."""

    place: dict[str, object]
    how: str


@dataclass
class Player:
    """All devices of one mapped program."""

    sizes: dict[str, int]
    turns: list[Turn] = field(default_factory=list)
    segments: dict[tuple[int, int, int], Callable[..., Any]] = field(default_factory=dict)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return tuple(range(int(np.prod(list(self.sizes.values()), dtype=int))))

    def coordinates(self, lane: Lane) -> dict[str, int]:
        return dict(zip(self.sizes, map(int, np.unravel_index(lane, tuple(self.sizes.values())))))

    def body(
        self, jaxpr: Any, consts: Sequence[Any], inputs: list[Values], lanes: tuple[Lane, ...], fork: Fork | None
    ) -> list[Values]:
        jaxpr = walk.open_jaxpr(jaxpr)
        table: dict[Any, Values] = {
            variable: dict.fromkeys(lanes, value) for variable, value in zip(jaxpr.constvars, consts, strict=True)
        }
        table.update(zip(jaxpr.invars, inputs, strict=True))
        index = 0
        while index < len(jaxpr.eqns):
            end = index
            while end < len(jaxpr.eqns) and not _needs_lanes(jaxpr.eqns[end]):
                end += 1
            if end > index:
                self._segment(jaxpr, index, end, table, lanes)
                index = end
                continue
            equation = jaxpr.eqns[index]
            given = [_read(table, atom, lanes) for atom in equation.invars]
            for variable, values in zip(equation.outvars, self._equation(equation, given, lanes, fork), strict=True):
                table[variable] = values
            index += 1
        return [_read(table, atom, lanes) for atom in jaxpr.outvars]

    def _segment(self, jaxpr: Any, start: int, end: int, table: dict[Any, Values], lanes: tuple[Lane, ...]) -> None:
        """Equations that concern one device at a time: compiled once, run for every lane."""
        part = jaxpr.eqns[start:end]
        made = dict.fromkeys(variable for equation in part for variable in equation.outvars)
        needed = list(dict.fromkeys(a for e in part for a in e.invars if not hasattr(a, "val") and a not in made))
        results = [variable for variable in made if type(variable).__name__ != "DropVar"]
        key = (id(jaxpr), start, end)
        if key not in self.segments:
            self.segments[key] = jax.jit(lambda *values: _evaluate(part, needed, results, values))
        outputs = {lane: self.segments[key](*[table[variable][lane] for variable in needed]) for lane in lanes}
        for number, variable in enumerate(results):
            table[variable] = {lane: outputs[lane][number] for lane in lanes}

    def _equation(self, equation: Any, given: list[Values], lanes: tuple[Lane, ...], fork: Fork | None) -> list[Values]:
        name, params = equation.primitive.name, equation.params
        if name in walk.RELABELLING:
            return given
        if name == walk.AXIS_INDEX:
            axis = str(params["axis_name"])
            return [{lane: jnp.int32(self.coordinates(lane)[axis]) for lane in lanes}]
        if axes := walk.axis_names(equation):
            return self._collective(equation, axes, given, lanes, fork)
        match name:
            case "cond":
                return self._cond(equation, given, lanes)
            case "while":
                return self._while(equation, given, lanes)
            case "scan":
                return self._scan(equation, given, lanes, fork)
        inner = next(walk.nested(equation), None)
        if name in CALLS and inner is not None:
            return self.body(inner[1], walk.constants(inner[1]), given, lanes, fork)
        raise NotPlayable(name)

    def _collective(
        self, equation: Any, axes: tuple[str, ...], given: list[Values], lanes: tuple[Lane, ...], fork: Fork | None
    ) -> list[Values]:
        name, place = equation.primitive.name, walk.place_of(equation)
        results: list[Values] = [{} for _ in equation.outvars]
        for group in self.groups(axes, equation.params.get("axis_index_groups")):
            present = tuple(lane for lane in group if lane in lanes)
            if not present:
                continue
            absent = tuple(lane for lane in group if lane not in lanes)
            self.turns += [Turn(lane, name, axes, place, not absent) for lane in present]
            if absent:
                fork = fork or Fork({"path": "", "line": 0, "function": ""}, "went another way")
                raise Parted(present, absent, name, axes, place, fork.place, fork.how)
            for number, values in enumerate(given):
                pieces = exchange(equation, [np.asarray(values[lane]) for lane in group])
                if pieces is None:
                    raise NotPlayable(name)
                results[number].update(zip(group, map(jnp.asarray, pieces)))
        return results

    def groups(self, axes: tuple[str, ...], chosen: Any = None) -> list[tuple[Lane, ...]]:
        """Lanes that communicate with each other, in the order of the axes given."""
        rest = [name for name in self.sizes if name not in axes]
        table: dict[tuple[int, ...], list[tuple[tuple[int, ...], Lane]]] = {}
        for lane in self.lanes:
            where = self.coordinates(lane)
            table.setdefault(tuple(where[name] for name in rest), []).append(
                (tuple(where[name] for name in axes), lane)
            )
        whole = [tuple(lane for _, lane in sorted(members)) for members in table.values()]
        if not chosen:
            return whole
        return [tuple(group[index] for index in part) for group in whole for part in chosen]

    def _cond(self, equation: Any, given: list[Values], lanes: tuple[Lane, ...]) -> list[Values]:
        branches, place = equation.params["branches"], walk.place_of(equation)
        choice = {lane: min(max(int(given[0][lane]), 0), len(branches) - 1) for lane in lanes}
        results: list[Values] = [{} for _ in equation.outvars]
        for number, branch in enumerate(branches):
            some = tuple(lane for lane in lanes if choice[lane] == number)
            if not some:
                continue
            fork = Fork(place, "took the other branch") if len(some) < len(self.lanes) else None
            inputs = [{lane: values[lane] for lane in some} for values in given[1:]]
            for result, values in zip(results, self.body(branch, walk.constants(branch), inputs, some, fork)):
                result.update(values)
        return results

    def _while(self, equation: Any, given: list[Values], lanes: tuple[Lane, ...]) -> list[Values]:
        params, place = equation.params, walk.place_of(equation)
        conditions, bodies = int(params["cond_nconsts"]), int(params["body_nconsts"])
        carry = [dict(values) for values in given[conditions + bodies :]]
        condition, body = params["cond_jaxpr"], params["body_jaxpr"]
        going = lanes
        for _ in range(LONGEST_LOOP):
            fork = Fork(place, "left the loop earlier") if len(going) < len(self.lanes) else None
            asked = [_some(values, going) for values in (*given[:conditions], *carry)]
            answers = self.body(condition, walk.constants(condition), asked, going, fork)[0]
            going = tuple(lane for lane in going if bool(answers[lane]))
            if not going:
                return carry
            fork = Fork(place, "left the loop earlier") if len(going) < len(self.lanes) else None
            inputs = [_some(values, going) for values in (*given[conditions : conditions + bodies], *carry)]
            for values, new in zip(carry, self.body(body, walk.constants(body), inputs, going, fork)):
                values.update(new)
        raise NotPlayable("a loop without end")

    def _scan(self, equation: Any, given: list[Values], lanes: tuple[Lane, ...], fork: Fork | None) -> list[Values]:
        params = equation.params
        constants, carries, length = int(params["num_consts"]), int(params["num_carry"]), int(params["length"])
        if length > LONGEST_LOOP:
            raise NotPlayable("a long scan")
        carry, slices = given[constants : constants + carries], given[constants + carries :]
        order = range(length - 1, -1, -1) if params.get("reverse") else range(length)
        rows: dict[int, list[Values]] = {}
        for index in order:
            step = [{lane: values[lane][index] for lane in lanes} for values in slices]
            results = self.body(
                params["jaxpr"], walk.constants(params["jaxpr"]), [*given[:constants], *carry, *step], lanes, fork
            )
            carry, rows[index] = results[:carries], results[carries:]
        count = len(equation.outvars) - carries
        if not length and count:
            raise NotPlayable("an empty scan")
        stacked = [
            {lane: jnp.stack([rows[index][number][lane] for index in range(length)]) for lane in lanes}
            for number in range(count)
        ]
        return [*carry, *stacked]


def _needs_lanes(equation: Any) -> bool:
    name = equation.primitive.name
    if walk.axis_names(equation) or name == walk.AXIS_INDEX or name in walk.RELABELLING or name == "shard_map":
        return True
    return any(walk.communicates(inner) for _, inner in walk.nested(equation))


def _read(table: dict[Any, Values], atom: Any, lanes: tuple[Lane, ...]) -> Values:
    return dict.fromkeys(lanes, atom.val) if hasattr(atom, "val") else {lane: table[atom][lane] for lane in lanes}


def _some(values: Values, lanes: tuple[Lane, ...]) -> Values:
    return {lane: values[lane] for lane in lanes}


def _evaluate(part: Sequence[Any], needed: list[Any], results: list[Any], values: Sequence[Any]) -> list[Any]:
    table = dict(zip(needed, values, strict=True))
    for equation in part:
        given = [atom.val if hasattr(atom, "val") else table[atom] for atom in equation.invars]
        bound = equation.primitive.get_bind_params(equation.params)
        outcome = (
            equation.primitive.bind(*given, **bound)
            if not isinstance(bound, tuple)
            else equation.primitive.bind(*bound[0], *given, **bound[1])
        )
        table.update(zip(equation.outvars, outcome if equation.primitive.multiple_results else [outcome]))
    return [table[variable] for variable in results]


def play(equation: Any, inputs: Sequence[Any], player: Player) -> None:
    """Play one shard_map equation on its global inputs; raises Parted where devices part."""
    player.turns.clear()
    lanes = player.lanes
    split = [
        {lane: _block(np.asarray(value) if _plain(value) else value, spec, player, lane) for lane in lanes}
        for value, spec in zip(inputs, walk.specs(equation, "in"), strict=True)
    ]
    jaxpr = equation.params["jaxpr"]
    player.body(jaxpr, walk.constants(jaxpr), split, lanes, None)


def inputs_of(target: Any, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """What reaches `target`, an equation somewhere inside `jaxpr`: what comes before it is computed."""
    jaxpr = walk.open_jaxpr(jaxpr)
    table = dict(zip(jaxpr.constvars, consts, strict=True)) | dict(zip(jaxpr.invars, values, strict=True))
    for number, equation in enumerate(jaxpr.eqns):
        inner = next(
            (item for _, item in walk.nested(equation) if any(found is target for found in walk.mapped(item))), None
        )
        if equation is not target and inner is None:
            continue
        before = jaxpr.eqns[:number]
        results = list(dict.fromkeys(variable for item in before for variable in item.outvars))
        known = list(table)
        table.update(zip(results, _evaluate(before, known, results, [table[variable] for variable in known])))
        given = [atom.val if hasattr(atom, "val") else table[atom] for atom in equation.invars]
        if equation is target:
            return given
        if equation.primitive.name not in CALLS:
            raise NotPlayable(equation.primitive.name)
        return inputs_of(target, inner, walk.constants(inner), given)
    raise NotPlayable("the mapped program was not found")


def _plain(value: Any) -> bool:
    """Arrays of keys have no numpy form."""
    return not (hasattr(value, "dtype") and jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended))


def _block(value: Any, spec: dict[int, tuple[str, ...]], player: Player, lane: Lane) -> Any:
    """The part of a global value that one device holds."""
    where = player.coordinates(lane)
    index: list[Any] = [slice(None)] * value.ndim
    for dimension, axes in spec.items():
        pieces = int(np.prod([player.sizes[name] for name in axes], dtype=int))
        number = 0
        for name in axes:
            number = number * player.sizes[name] + where[name]
        size = value.shape[dimension] // pieces
        index[dimension] = slice(number * size, (number + 1) * size)
    block = value[tuple(index)]
    return jnp.asarray(block) if isinstance(block, np.ndarray) else block
