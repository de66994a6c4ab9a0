"""What is inside a jaxpr? Its nested programs, its collectives, and the user's line of every equation.

Works on the shape of the objects (`.eqns`, `.jaxpr`), since their classes move between JAX versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.trace.frames import is_user_file

# primitive → parameter that holds its axis names
AXIS_PARAMETER = {
    "psum": "axes",
    "psum_invariant": "axes",
    "pmax": "axes",
    "pmin": "axes",
    "all_gather": "axis_name",
    "all_gather_invariant": "axis_name",
    "all_gather_reduced": "axis_name",
    "reduce_scatter": "axis_name",
    "unreduced_psum": "axes",
    "unreduced_reduce_scatter": "axis_name",
    "ppermute": "axis_name",
    "psend": "axis_name",
    "precv": "axis_name",
    "all_to_all": "axis_name",
    "ragged_all_to_all": "axis_name",
    "pgather": "axes",
}
AXIS_INDEX = "axis_index"
# change only what the type says about varying, not the value
RELABELLING = frozenset({"pvary", "pcast", "reduced_vary_cast", "vary_unreduced_cast"})
# their result is the same on all devices of the axis
AGREEING = frozenset({"psum", "psum_invariant", "pmax", "pmin", "all_gather", "all_gather_invariant"})


@dataclass(frozen=True)
class Collective:
    """One communicating equation."""

    operation: str
    axes: tuple[str, ...]
    place: dict[str, object]


def open_jaxpr(item: Any) -> Any:
    """The jaxpr itself, out of its closure."""
    inner = getattr(item, "jaxpr", None)
    return inner if inner is not None and hasattr(inner, "eqns") else item


def constants(item: Any) -> tuple[Any, ...]:
    return tuple(getattr(item, "consts", ()))


def nested(equation: Any) -> Iterator[tuple[str, Any]]:
    """(name, jaxpr) for every program among the parameters of an equation."""
    for name, value in equation.params.items():
        many = isinstance(value, (tuple, list))
        for index, item in enumerate(value if many else (value,)):
            inner = open_jaxpr(item)
            if hasattr(inner, "eqns"):
                yield (f"{name}[{index}]" if many else name), item


def axis_names(equation: Any) -> tuple[str, ...]:
    """The named axes of a collective; positional axes (of vmap) are no communication."""
    parameter = AXIS_PARAMETER.get(equation.primitive.name)
    if parameter is None:
        return ()
    value = equation.params.get(parameter, ())
    return tuple(
        str(name) for name in (value if isinstance(value, (tuple, list)) else (value,)) if not isinstance(name, int)
    )


def user_places(equation: Any) -> list[dict[str, object]]:
    """The user's frames behind an equation, innermost first."""
    try:
        from jax._src import source_info_util

        frames = source_info_util.user_frames(equation.source_info.traceback)
        found = [
            {"path": frame.file_name, "line": frame.start_line, "function": frame.function_name}
            for frame in frames
            if is_user_file(frame.file_name)
        ]
    except Exception:
        return []
    return found


NOWHERE: dict[str, object] = {"path": "", "line": 0, "function": ""}


def place_of(equation: Any, around: Iterable[Any] = ()) -> dict[str, object]:
    """The user's line, or that of the nearest equation around it: functions of JAX are traced once and shared."""
    for candidate in (equation, *reversed(tuple(around))):
        if places := user_places(candidate):
            return places[0]
    return NOWHERE


def equations(jaxpr: Any, around: tuple[Any, ...] = ()) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every equation at every depth with those around it, in program order."""
    for equation in open_jaxpr(jaxpr).eqns:
        yield equation, around
        for _, inner in nested(equation):
            yield from equations(inner, (*around, equation))


def collectives(jaxpr: Any) -> list[Collective]:
    return [
        Collective(equation.primitive.name, axes, place_of(equation, around))
        for equation, around in equations(jaxpr)
        if (axes := axis_names(equation))
    ]


def communicates(jaxpr: Any) -> bool:
    """Whether anything inside needs to know the other devices."""
    return any(
        axis_names(equation) or equation.primitive.name in (AXIS_INDEX, "shard_map", *RELABELLING)
        for equation, _ in equations(jaxpr)
    )


def mapped(jaxpr: Any) -> list[Any]:
    """The shard_map equations (pmap is one too) that are not inside another."""
    found = []
    for equation in open_jaxpr(jaxpr).eqns:
        if equation.primitive.name == "shard_map":
            found.append(equation)
        else:
            for _, inner in nested(equation):
                found += mapped(inner)
    return found


def axis_sizes(mesh: Any) -> dict[str, int]:
    return {str(name): int(size) for name, size in dict(mesh.shape).items()}


def specs(equation: Any, which: str) -> list[dict[int, tuple[str, ...]]]:
    """dimension → mesh axes, for every operand (`in`) or result (`out`) of a shard_map equation."""
    if f"{which}_specs" in equation.params:
        return [_of_spec(spec) for spec in equation.params[f"{which}_specs"]]
    return [
        {int(dim): tuple(map(str, axes)) for dim, axes in names.items()} for names in equation.params[f"{which}_names"]
    ]


def _of_spec(spec: Any) -> dict[int, tuple[str, ...]]:
    table = {}
    for dimension, entry in enumerate(spec):
        if entry is not None:
            axes = tuple(map(str, entry)) if isinstance(entry, (tuple, list)) else (str(entry),)
            if axes:
                table[dimension] = axes
    return table
