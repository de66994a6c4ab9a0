"""Findings of JAX rules against traced runs: the bad fixtures are confirmed, their twins are not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dtlint.findings import Finding, Span, Step
from dtlint.trace.jax import judge
from dtlint.trace.session import Job, Session

pytestmark = pytest.mark.trace
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def finding_of(path: Path, code: str, line: int) -> Finding:
    span = Span(path.name, line, 1, line, 2)
    return Finding(code, "slug", "wrong", "error", "default", "message", "remedy", span)


def marked(path: Path, code: str) -> int:
    lines = path.read_text("utf-8").splitlines()
    return next(number for number, text in enumerate(lines, 1) if re.search(rf"# (want|miss): {code}\b", text))


CASES = [
    ("DT301", "key_with_in_axes_none", "confirmed"),
    ("DT404", "gradients_not_averaged", "confirmed"),
    ("DT404", "pmean_again_in_shard_map", "confirmed"),
    ("DT406", "cond_on_axis_index", "confirmed"),
    ("DT406", "while_local_convergence", "confirmed"),
    ("DT401", "scalar_without_device_axis", "confirmed"),
    ("DT403", "psum_under_jit", "confirmed"),
    ("DT405", "read_after_donation", "confirmed"),
]


@pytest.mark.parametrize(("code", "name", "state"), CASES)
def test_bad_fixture(jax_session: Session, code: str, name: str, state: str) -> None:
    path = FIXTURES / code / f"{name}.py"
    job = Job(str(path), ranks=4, directory=str(path.parent), engine="jax", timeout=120, cover=(str(path),))
    result = jax_session.run(job)
    found = judge.verdict(finding_of(path, code, marked(path, code)), str(path), result)
    assert found.state == state, (found, result.outcome, result.facts)


def test_a_trail_leads_from_the_copied_key_to_the_draw(jax_session: Session) -> None:
    path = FIXTURES / "DT301" / "replicated_key.py"
    job = Job(str(path), ranks=4, directory=str(path.parent), engine="jax", timeout=120, cover=(str(path),))
    result = jax_session.run(job)
    finding = finding_of(path, "DT301", marked(path, "DT301"))
    assert judge.verdict(finding, str(path), result).state == "inconclusive"
    (fact,) = [fact for fact in result.facts if fact["kind"] == "shared-key"]
    trail = (Step(path.name, int(fact["place"]["line"]), "the key is used"),)
    assert judge.verdict(replace(finding, trail=trail), str(path), result).state == "confirmed"


@pytest.mark.parametrize(("code", "name"), sorted({(code, name) for code, name, _ in CASES}))
def test_good_twin_is_not_confirmed_at_any_line(jax_session: Session, code: str, name: str) -> None:
    path = FIXTURES / code / f"{name}_ok.py"
    job = Job(str(path), ranks=4, directory=str(path.parent), engine="jax", timeout=120, cover=(str(path),))
    result = jax_session.run(job)
    for line in range(1, len(path.read_text("utf-8").splitlines()) + 1):
        assert judge.verdict(finding_of(path, code, line), str(path), result).state != "confirmed"


def test_a_line_that_never_ran_is_not_reached(jax_session: Session, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import jax\nimport jax.numpy as jnp\n\n\ndef unused(x):\n    return jax.pmap(f)(x)\n\n\n"
                    "print(jax.pmap(lambda x: jax.lax.psum(x, 'i'), axis_name='i')(jnp.ones(2)))\n")  # fmt: skip
    job = Job(str(path), ranks=2, directory=str(tmp_path), engine="jax", timeout=60, cover=(str(path),))
    result = jax_session.run(job)
    assert result.outcome.kind == "agreed", result.outcome
    assert judge.verdict(finding_of(path, "DT401", 6), str(path), result).state == "not-reached"
