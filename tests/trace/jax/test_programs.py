"""Are programs for several devices and several hosts judged right, at the right line?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dtlint.trace.model import Result
from dtlint.trace.session import Job, Session

pytestmark = pytest.mark.trace
PROGRAMS = Path(__file__).with_name("programs")
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def run(session: Session, path: Path, ranks: int, **more: object) -> Result:
    return session.run(Job(str(path), ranks=ranks, directory=str(path.parent), engine="jax", timeout=120, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(path.name for path in PROGRAMS.glob("*.py")))
def test_program(jax_session: Session, name: str) -> None:
    path = PROGRAMS / name
    first = path.read_text("utf-8").splitlines()[0].removeprefix("# ").split()
    verdict, places, ranks = first[0], first[1:-1], int(first[-1].removeprefix("ranks="))
    result = run(jax_session, path, ranks)
    assert result.outcome.kind == verdict, (result.outcome, [end.output[-800:] for end in result.ends])
    for place in places:
        assert place in result.outcome.sentence or any(str(event.place).endswith(place) for event in result.involved)
    if verdict == "deadlock":
        assert any(event.state == "waiting" for event in result.events)


def kinds(result: Result) -> set[str]:
    return {str(fact["kind"]) for fact in result.facts}


def twin(name: str) -> str:
    return name.replace("/", "_ok/") if "/" in name else f"{name}_ok"


def test_missing_reduction_shows_as_drift(jax_session: Session) -> None:
    name = "gradients_not_averaged"
    result = run(jax_session, FIXTURES / "DT404" / f"{name}.py", 4)
    assert (result.outcome.kind, result.outcome.reason) == ("mismatch", "REPLICAS_DRIFT")
    assert run(jax_session, FIXTURES / "DT404" / f"{twin(name)}.py", 4).outcome.kind == "agreed"


def test_parameters_that_start_equal_in_all_places_are_only_told(jax_session: Session) -> None:
    """They could be a state of each device's own."""
    name = "two_files/train"
    result = run(jax_session, FIXTURES / "DT404" / f"{name}.py", 4)
    assert result.outcome.kind == "agreed" and kinds(result) == {"replicas-differ"}
    assert kinds(run(jax_session, FIXTURES / "DT404" / f"{twin(name)}.py", 4)) == set()


@pytest.mark.parametrize("name", ["key_with_in_axes_none", "replicated_key", "shard_map_replicated_spec/train"])
def test_shared_keys_are_told(jax_session: Session, name: str) -> None:
    assert "shared-key" in kinds(run(jax_session, FIXTURES / "DT301" / f"{name}.py", 4))
    assert "shared-key" not in kinds(run(jax_session, FIXTURES / "DT301" / f"{twin(name)}.py", 4))


def test_a_key_for_parameters_is_meant_to_be_shared(jax_session: Session) -> None:
    assert kinds(run(jax_session, FIXTURES / "DT301" / "init_key_is_shared_ok.py", 4)) == set()


def test_reduced_twice_is_told(jax_session: Session) -> None:
    name = "pmean_again_in_shard_map"
    assert kinds(run(jax_session, FIXTURES / "DT404" / f"{name}.py", 4)) == {"reduced-twice"}
    assert kinds(run(jax_session, FIXTURES / "DT404" / f"{name}_ok.py", 4)) == set()


def test_steps_end_the_run(jax_session: Session) -> None:
    result = run(jax_session, PROGRAMS / "agree_so_far.py", 4, steps=2)
    assert {end.how for end in result.ends} == {"steps"}


def test_lowering_for_tpu_needs_no_tpu(jax_session: Session) -> None:
    result = run(jax_session, PROGRAMS / "agree_so_far.py", 4, extra={"backend": "tpu"})
    texts = [fact["text"] for fact in result.facts if fact["kind"] == "tpu-lowering"]
    assert any("lowers for TPU with 1 collective" in text for text in texts), texts


def test_with_libtpu_programs_are_compiled_for_chips_that_are_not_there(jax_session: Session, tmp_path: Path) -> None:
    has_it = [jax_session.python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('libtpu') is None)"]
    if subprocess.run(has_it).returncode:
        pytest.skip("libtpu is not installed beside this JAX")
    script = tmp_path / "mean.py"
    script.write_text(
        "import jax, jax.numpy as jnp\n"
        "mean = jax.pmap(lambda x: jax.lax.pmean(x, 'i'), axis_name='i')\n"
        "mean(jnp.ones((jax.device_count(), 8)))\n"
    )
    for ranks, slice_ in ((2, "v5e:1x2"), (4, "v5e:2x2"), (8, "v5e:2x4"), (3, "")):
        result = run(jax_session, script, ranks, extra={"backend": "tpu"})
        (text,) = [fact["text"] for fact in result.facts if fact["kind"] == "tpu-lowering"]
        if slice_:
            assert f"compiled for {slice_}: 1 collective operation (1 all_reduce)" in text
        else:
            assert text.endswith("lowers for TPU with 1 collective operation")


def test_a_script_that_fails_is_not_a_divergence(jax_session: Session, tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text("import jax\nraise ValueError('no data')\n")
    result = run(jax_session, script, 2)
    assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "rank-error")
    assert result.ends[0].place.line == 2


def test_time_over_is_no_verdict(jax_session: Session, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text("import time, jax\ntime.sleep(60)\n")
    result = jax_session.run(Job(str(script), directory=str(tmp_path), engine="jax", timeout=1.5))
    assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "timeout")
