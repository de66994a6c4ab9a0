"""Does `dtlint check` name every root cause in the broken programs, and is it silent on the fixed ones?"""

from __future__ import annotations

import functools
from typing import Any

import pytest
import running

ROWS = [
    pytest.param(name, index, id=f"{name}-{index}-{row.code}")
    for name in running.NAMES
    for index, row in enumerate(running.load(name).expected)
]


@functools.cache
def findings(name: str, tier: str) -> list[dict[str, Any]]:
    return running.lint(running.load(name).broken_program, *running.TIERS[tier])


@pytest.mark.parametrize(("name", "index"), ROWS)
def test_root_cause_is_found(name: str, index: int) -> None:
    example = running.load(name)
    row = example.expected[index]
    near = [f"{finding['code']} {finding['path']}:{finding['line']}" for finding in findings(name, row.tier)]
    is_found = any(running.matches(row, finding, example.folder) for finding in findings(name, row.tier))
    where = f"{row.code} at {row.file}:{row.lines(example.folder)[0]} ({row.why})"
    if row.known == "miss":
        assert not is_found, f'{where} is found now: take `"known": "miss"` out of expected.json'
    else:
        assert is_found, f"{where}; reported: {near}"


@pytest.mark.parametrize("name", running.NAMES)
def test_fixed_is_clean(name: str) -> None:
    """Nothing is said about the fixed programs but what is listed as `noise`: false alarms that are known."""
    example = running.load(name)
    said = [running.place_of(finding, example.folder) for finding in running.lint(example.fixed_files)]
    assert said == example.data.get("noise", [])
