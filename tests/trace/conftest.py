"""The sandbox that the tests of this directory share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from dtlint.trace import interpreter
from dtlint.trace.session import NotPossible, Session


@pytest.fixture(scope="session")
def torch_python() -> str:
    try:
        return interpreter.choose(os.environ.get("DTLINT_TRACE_PYTHON", ""), "torch")
    except NotPossible as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="session")
def session(torch_python: str) -> Iterator[Session]:
    with Session(torch_python) as started:
        yield started
