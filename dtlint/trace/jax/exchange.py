"""What does each device hold after a collective? The arithmetic of one group, on numpy arrays."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np


def exchange(equation: Any, pieces: list[np.ndarray]) -> list[np.ndarray] | None:
    """One result for each device of the group, in its order; None for a collective that is not known."""
    name, params, count = equation.primitive.name, equation.params, len(pieces)
    match name:
        case "psum" | "psum_invariant":
            return [reduce(np.add, pieces)] * count
        case "pmax":
            return [reduce(np.maximum, pieces)] * count
        case "pmin":
            return [reduce(np.minimum, pieces)] * count
        case "all_gather" | "all_gather_invariant":
            return [_joined(pieces, int(params["all_gather_dimension"]), bool(params["tiled"]))] * count
        case "reduce_scatter":
            return _split(reduce(np.add, pieces), int(params["scatter_dimension"]), bool(params["tiled"]), count)
        case "ppermute":
            received = [np.zeros_like(pieces[0]) for _ in pieces]
            for source, target in params["perm"]:
                received[int(target)] = pieces[int(source)]
            return received
        case "all_to_all":
            split, concat, tiled = int(params["split_axis"]), int(params["concat_axis"]), bool(params["tiled"])
            cut = [_split(piece, split, tiled, count) for piece in pieces]
            return [_joined([cut[source][target] for source in range(count)], concat, tiled) for target in range(count)]
    return None


def _joined(pieces: list[np.ndarray], dimension: int, tiled: bool) -> np.ndarray:
    return np.concatenate(pieces, dimension) if tiled else np.stack(pieces, dimension)


def _split(whole: np.ndarray, dimension: int, tiled: bool, count: int) -> list[np.ndarray]:
    parts = np.split(whole, count, axis=dimension)
    return parts if tiled else [part.squeeze(dimension) for part in parts]
