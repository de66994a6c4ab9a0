"""Do the copies on the devices stay equal, and does a key that should differ not?

Compared are values, before and after a launch: rows of what pmap splits, and copies of what is said to be replicated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dtlint.trace.jax import varying, walk

if TYPE_CHECKING:
    from dtlint.trace.jax.programs import Program

LARGEST_COMPARED = 4_000_000  # elements


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


def equal_rows(program: Program, given: list[Any]) -> frozenset[int]:
    """Inputs whose rows are equal on all devices."""
    equal = set()
    for position in _rows(program):
        values = _values(given[position])
        if values is not None and all(np.array_equal(values[0], row, equal_nan=True) for row in _numbers(values)[1:]):
            equal.add(position)
    return frozenset(equal)


def _numbers(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind in "fciub" else values.astype(np.float32)


def drawn(given: list[Any], equal: frozenset[int]) -> frozenset[int]:
    """Equal inputs with more than one number in a row, as parameters have that were drawn at random."""
    found = set()
    for position in equal:
        values = _values(given[position])
        if values is not None and values.dtype.kind in "fc" and values[0].size > 1 and np.ptp(values[0]) > 0:
            found.add(position)
    return frozenset(found)


def is_key(array: Any) -> bool:
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
        return True
    return array.dtype == np.uint32 and array.ndim >= 1 and array.shape[-1] == 2


def shared_keys(program: Program, given: list[Any], equal: frozenset[int]) -> list[varying.Hazard]:
    """A key that was copied to all devices is sharded in type and shared in value."""
    if len(program.mapped) != 1:
        return []
    equation = program.mapped[0]
    inner = {_position(equation.invars, program.jaxpr.jaxpr.invars[index]) for index in equal if is_key(given[index])}
    shared = frozenset(index for index in inner if index is not None)
    return [hazard for hazard in varying.analyse(equation, shared) if shared and hazard.kind == "shared-key"]


def drifted(program: Program, given: list[Any], equal: frozenset[int], known: set[int]) -> tuple[str, bool]:
    """What was equal on all devices and has come back from a mapped program different; `known`: results so far.

    Certain only for what looks like parameters: a counter or a state that starts from one number may well go its own
    way. Where nothing but the keys differ between devices, everything may.
    """
    if not any(not is_key(given[position]) for position in _rows(program).keys() - program.equal_inputs):
        return "", False
    for position in sorted(program.equal_inputs - equal, key=lambda item: item not in program.drawn_inputs):
        array = given[position]
        values = _values(array) if id(array) in known and array.dtype.kind in "fc" else None
        if values is None:
            continue
        spread = float(np.nanmax(np.abs(values - values[:1])))
        was = f"input {position} of {program.name} was equal on all devices before the first call"
        return f"{was} and differs now (by {spread:.3g})", position in program.drawn_inputs
    return "", False


def unequal_copies(program: Program, results: Any) -> str:
    """An array said to be replicated must have equal copies."""
    for number, array in enumerate(results):
        if not isinstance(array, jax.Array) or not array.is_fully_replicated:
            continue
        shards = array.addressable_shards
        if len(shards) < 2 or array.size > LARGEST_COMPARED or array.dtype.kind not in "fciub":
            continue
        first = np.asarray(shards[0].data)
        if any(not np.array_equal(first, np.asarray(shard.data), equal_nan=True) for shard in shards[1:]):
            return f"result {number} of {program.name} is declared equal on all devices and is not"
    return ""
