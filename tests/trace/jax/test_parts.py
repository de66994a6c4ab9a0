"""The parts of the JAX half on their own: the arithmetic of collectives, packing, taint and play."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from dtlint.trace.jax import packing  # noqa: E402
from dtlint.trace.jax.exchange import exchange  # noqa: E402


def equation(name: str, **params: Any) -> Any:
    return SimpleNamespace(primitive=SimpleNamespace(name=name), params=params)


PIECES = [np.arange(4.0).reshape(2, 2) + 10 * device for device in range(2)]


def test_reductions_are_equal_everywhere() -> None:
    first, second = exchange(equation("psum"), PIECES)
    assert first.tolist() == second.tolist() == (PIECES[0] + PIECES[1]).tolist()
    assert exchange(equation("pmax"), PIECES)[0].tolist() == PIECES[1].tolist()
    assert exchange(equation("pmin"), PIECES)[1].tolist() == PIECES[0].tolist()


def test_gather_and_scatter() -> None:
    gathered = exchange(equation("all_gather", all_gather_dimension=0, tiled=False), PIECES)[0]
    assert gathered.shape == (2, 2, 2)
    joined = exchange(equation("all_gather", all_gather_dimension=1, tiled=True), PIECES)[0]
    assert joined.shape == (2, 4)
    parts = exchange(equation("reduce_scatter", scatter_dimension=0, tiled=False), PIECES)
    assert [part.tolist() for part in parts] == [[10.0, 12.0], [14.0, 16.0]]


def test_ppermute_leaves_zeros_where_nobody_sends() -> None:
    received = exchange(equation("ppermute", perm=((0, 1),)), PIECES)
    assert received[0].tolist() == [[0, 0], [0, 0]] and received[1].tolist() == PIECES[0].tolist()


def test_all_to_all_is_a_transposition() -> None:
    swapped = exchange(equation("all_to_all", split_axis=0, concat_axis=0, tiled=True), PIECES)
    assert swapped[0].tolist() == [[0.0, 1.0], [10.0, 11.0]] and swapped[1].tolist() == [[2.0, 3.0], [12.0, 13.0]]


def test_an_unknown_collective_is_not_guessed() -> None:
    assert exchange(equation("ragged_all_to_all"), PIECES) is None


def test_packing_carries_trees() -> None:
    value = {"a": np.arange(3), 1: (True, None, "x", [2.5, np.float32(1)])}
    (description,), data = packing.pack(value)
    again = packing.unpack([{"parts": [[description], [description]], "sizes": [len(data)] * 2}], data * 2)
    assert len(again) == 2
    assert again[1]["a"].tolist() == [0, 1, 2] and again[1][1][:3] == (True, None, "x")
    assert again[1][1][3][0] == 2.5 and again[1][1][3][1].dtype == np.float32


def test_packing_refuses_objects() -> None:
    with pytest.raises(TypeError):
        packing.pack(object())


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("import jax\njax.pmap(f)\n", False),
        ("import jax\nif jax.process_index() == 0: pass\n", True),
        ("import jax\njax.distributed.initialize()\n", True),
        ("import helper\n", True),
        ("import other\n", False),
    ],
)
def test_who_speaks_of_hosts(tmp_path: Path, text: str, many: bool) -> None:
    from dtlint.trace.jax.shape import shape_of

    (tmp_path / "helper.py").write_text("def lead(): return process_index() == 0\n")
    script = tmp_path / "train.py"
    script.write_text(text)
    assert shape_of({"script": str(script), "ranks": 3}) == ((3, 2) if many else (1, 3))
