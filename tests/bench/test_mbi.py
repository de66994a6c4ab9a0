"""Are the labels of the collective-ordering programs true, and is the scoring honest?"""

from __future__ import annotations

import ast
import importlib.util
import json
import sys

import pytest

from bench.mbi.__main__ import main
from bench.mbi.baseline import pattern_findings
from bench.mbi.generate import Program, programs, some
from bench.mbi.score import score
from bench.mbi.simulate import simulate
from bench.running import Reported, Step

PROGRAMS = programs()


def test_there_are_enough_programs_and_about_half_are_correct() -> None:
    share = sum(one.correct for one in PROGRAMS) / len(PROGRAMS)
    assert len(PROGRAMS) >= 1200
    assert 0.4 <= share <= 0.6
    assert {one.framework for one in PROGRAMS} == {"torch", "accelerate", "jax"}


def test_programs_are_distinct_and_named_once() -> None:
    assert len({one.name for one in PROGRAMS}) == len(PROGRAMS)
    assert len({one.text for one in PROGRAMS}) == len(PROGRAMS)


def test_generation_is_deterministic() -> None:
    assert programs() == PROGRAMS


def test_bugs_have_places_and_correct_programs_have_none() -> None:
    for one in PROGRAMS:
        assert bool(one.lines) is not one.correct, one.name
        assert bool(one.codes) is not one.correct, one.name
        count = len(one.text.splitlines())
        assert all(1 <= line <= count for line in one.lines), one.name


def test_every_program_has_a_main_and_parses() -> None:
    for one in PROGRAMS:
        names = {node.name for node in ast.parse(one.text).body if isinstance(node, ast.FunctionDef)}
        assert "main" in names, one.name


@pytest.mark.parametrize("framework", ["torch", "accelerate", "jax"])
def test_four_simulated_ranks_confirm_every_label(framework: str) -> None:
    wrong = []
    for one in PROGRAMS:
        if one.framework == framework:
            world = simulate(one.text)
            if (world.verdict == "finished") is not one.correct:
                wrong.append((one.name, world.verdict, world.reason))
    assert not wrong


def test_only_programs_that_raise_crash_in_the_simulation() -> None:
    """A stand-in that lacks something would also look like a bug."""
    for one in PROGRAMS:
        if not one.correct and "raise" not in one.shape and simulate(one.text).verdict == "crash":
            pytest.fail(f"{one.name}: {simulate(one.text).reason}")


HANG = "import torch.distributed as dist\nif dist.get_rank() == 0:\n    dist.barrier()\n"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("import torch.distributed as dist\ndist.barrier()\n", "finished"),
        (HANG, "hang"),
        (HANG + "else:\n    dist.broadcast([1], src=0)\n", "mismatch"),
        ("import torch.distributed as dist\nwork = dist.barrier(async_op=True)\n", "finished"),
        ("import torch.distributed as dist\nif dist.get_rank():\n    dist.barrier(async_op=True)\n", "hang"),
        ("raise ValueError\n", "crash"),
    ],
)
def test_the_simulated_world_tells_outcomes_apart(text: str, verdict: str) -> None:
    assert simulate(text).verdict == verdict


def made(name: str, correct: bool, lines: tuple[int, ...] = ()) -> Program:
    return Program(name, "torch", "shape", "", correct, lines, ("DT101",), "order")


def reported(path: str, line: int, *trail: int) -> Reported:
    return Reported("DT101", path, line, "", "", "default", tuple(Step(path, one) for one in trail))


def test_score_counts_places_trails_and_noise() -> None:
    every = [made("hit", False, (3,)), made("by_trail", False, (4,)), made("elsewhere", False, (5,))]
    every += [made("quiet", True), made("noisy", True)]
    findings = {
        "hit.py": [reported("hit.py", 3), reported("hit.py", 9)],
        "by_trail.py": [reported("by_trail.py", 8, 4)],
        "elsewhere.py": [reported("elsewhere.py", 1)],
        "noisy.py": [reported("noisy.py", 1)],
    }
    result = score(every, findings)
    assert (len(result.true_positives), len(result.false_negatives), len(result.false_positives)) == (2, 1, 1)
    assert result.true_negatives == 1
    assert result.findings_per_bug == 1.5
    assert result.precision == pytest.approx(2 / 3)


def test_the_pattern_baseline_sees_branches_and_nothing_else() -> None:
    assert pattern_findings(HANG) == (3,)
    assert pattern_findings("if size > 1:\n    barrier()\n") == ()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="forks ranks")
@pytest.mark.parametrize(("framework", "count"), [("torch", 40), ("accelerate", 12), ("jax", 5)])
def test_real_gloo_processes_confirm_a_sample(framework: str, count: int) -> None:
    """Wrong arguments are left out: gloo checks no reductions and roots, so they may go on with wrong data."""
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    from bench.mbi.real_run import real_verdicts

    every = tuple(one for one in PROGRAMS if one.framework == framework and (one.correct or one.kind == "order"))
    sample = some(count, every)
    verdicts = real_verdicts(sample)
    wrong = [(one.name, verdicts[one.name]) for one in sample if (verdicts[one.name] == "finished") is not one.correct]
    assert not wrong


def answered(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    main([*arguments, "--json"])
    found: dict[str, float] = json.loads(capsys.readouterr().out)
    return found


def test_what_a_handler_calls_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(["--shape", "collective_in_handler"], capsys)
    assert found["recall"] == 1
    assert found["expected_code"] == found["programs"]


@pytest.mark.slow
def test_all_programs_are_judged_right_and_nearly_all_by_the_expected_rule(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered([], capsys)
    assert (found["precision"], found["recall"], found["findings_per_bug"]) == (1, 1, 1)
    assert found["expected_code"] >= 1046
