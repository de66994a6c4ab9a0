"""Does a stored tree come back as it was, and does damage show?"""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path
from time import process_time

import pytest

from dtlint.ir import store
from dtlint.ir.lowering import lower
from tests.ir.programs import Writer
from tests.ir.shape import shape

ODD = "x = [0.0, 1e999, 5j, 10**0, 123456789012345678901234567890, b'\\xff\\x00', '\\ud800', ..., True, 1, 1.0, None]\n"


@pytest.mark.parametrize("text", ["", "pass\n", ODD, *(Writer(seed).program() for seed in range(40))])
def test_round_trip(text: str) -> None:
    module = lower(text, "a/b.py")
    assert shape(store.load(store.dump(module))) == shape(module)
    assert store.dump(module) == store.dump(lower(text, "a/b.py"))


def test_damage_is_an_error() -> None:
    data = store.dump(lower(Writer(5).program(), "x.py"))
    chance = random.Random(1)
    for broken in (b"", b"x", data[:-4], data[: len(data) // 2], data + b"1234", b"5\n[1,2]"):
        with pytest.raises(store.Damaged):
            store.load(broken)
    for _ in range(300):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            store.load(bytes(flipped))
        except store.Damaged:
            continue  # anything else that is raised fails the test; a changed constant cannot be noticed


def test_a_deep_tree_is_stored() -> None:
    module = lower("x = " + "+".join(["a"] * 900) + "\n", "x.py")
    assert len(store.dump(store.load(store.dump(module)))) == len(store.dump(module))


@pytest.mark.slow
def test_loading_is_five_times_faster_than_parsing() -> None:
    text = (Path(sysconfig.get_paths()["stdlib"]) / "argparse.py").read_text(encoding="utf-8")
    start = process_time()
    data = store.dump(lower(text, "x.py"))
    parsing = process_time() - start
    start = process_time()
    store.load(data)
    assert (process_time() - start) * 5 < parsing
