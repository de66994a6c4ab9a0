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
def findings(name: str, strict: bool) -> list[dict[str, Any]]:
    return running.lint(running.load(name).broken_files, *(["--strict"] if strict else []))


@pytest.mark.parametrize(("name", "index"), ROWS)
def test_root_cause_is_found(name: str, index: int) -> None:
    example = running.load(name)
    row = example.expected[index]
    near = [
        f"{finding['code']} {finding['path']}:{finding['line']}" for finding in findings(name, row.tier == "strict")
    ]
    assert any(running.matches(row, finding, example.folder) for finding in findings(name, row.tier == "strict")), (
        f"{row.code} at {row.file}:{row.lines(example.folder)[0]} ({row.why}); reported: {near}"
    )


@pytest.mark.parametrize("name", running.NAMES)
def test_fixed_is_clean(name: str) -> None:
    example = running.load(name)
    assert running.lint(example.fixed_files) == []
