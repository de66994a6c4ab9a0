"""The sandbox of JAX that the tests of this directory share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from dtlint.trace import interpreter
from dtlint.trace.session import NotPossible, Session


@pytest.fixture(scope="session")
def jax_session() -> Iterator[Session]:
    try:
        python = interpreter.choose(os.environ.get("DTLINT_TRACE_PYTHON", ""), "jax")
    except NotPossible as problem:
        pytest.skip(str(problem))
    with Session(python, "dtlint.trace.jax.server", framework="jax") as started:
        yield started
