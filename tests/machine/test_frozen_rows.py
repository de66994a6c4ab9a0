"""Rows that are taken out of a tensor are new: freezing them freezes no parameters."""

from __future__ import annotations

import pytest

from dtlint.ir.lowering import lower
from dtlint.machine.library.training.parts import takes_rows


@pytest.mark.parametrize(
    ("text", "rows"), [("self.table[:, :length]", True), ("layers[:depth]", False), ("table[0, 1]", False)]
)
def test_rows_of_a_tensor(text: str, rows: bool) -> None:
    assert takes_rows(lower(text, "program.py").body[0].value) is rows
