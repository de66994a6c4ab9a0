"""Are the lines of the check-list answered as the evidence says, and is the verdict that of the worst?"""

from __future__ import annotations

from dtlint.ready.assess import Mark, Verdict, assess
from dtlint.source.text import Incomplete
from tests.ready.evidence import JAX, POD, evidence, finding


def mark_of(result, title):
    return next(answer for answer in result.answers if title in answer.title)


def test_everything_shown_and_nothing_found_is_ready(tmp_path):
    result = assess(evidence(tmp_path, shown=(*JAX, "data-sharding")), "tpu-pod")
    assert result.verdict is Verdict.READY
    assert {answer.mark for answer in result.answers} == {Mark.WORKS}
    assert not result.waste


def test_the_review_of_the_tpu_program(tmp_path):
    """Everything is fine but the dataset: the verdict of the document the project started from."""
    result = assess(evidence(tmp_path, finding("DT201"), stated=4), "tpu-pod")
    assert result.verdict is Verdict.NOT_READY
    failing = [answer for answer in result.answers if answer.mark is Mark.FAILS]
    assert [answer.title for answer in failing] == ["every process reads its own part of the data"]
    assert {answer.mark for answer in result.answers if answer not in failing} == {Mark.WORKS}
    assert [item.text for item in result.waste] == ["4 hosts read the same data: 25 % effective"]
    assert result.waste[0].fraction == 0.25


def test_an_essential_line_without_evidence_is_not_ready_and_not_failed(tmp_path):
    result = assess(evidence(tmp_path), "tpu-pod")  # data, but nothing that shares it out
    assert mark_of(result, "own part of the data").mark is Mark.UNKNOWN
    assert result.verdict is Verdict.UNKNOWN


def test_a_line_that_is_not_essential_may_stay_open(tmp_path):
    shown = tuple(kind for kind in (*JAX, "data-sharding") if kind != "resume")
    result = assess(evidence(tmp_path, shown=shown), "tpu-pod")
    assert mark_of(result, "go on where it stopped").mark is Mark.UNKNOWN
    assert result.verdict is Verdict.READY


def test_questions_that_do_not_arise_are_left_out(tmp_path):
    result = assess(evidence(tmp_path, shown=("jax", "initialise")), "tpu-pod")
    titles = [answer.title for answer in result.answers]
    assert not any("logs" in title or "shut down" in title or "device of its own" in title for title in titles)


def test_silence_of_a_rule_that_does_not_exist_means_nothing(tmp_path):
    rules = frozenset({"DT103", "DT901"})  # DT206 is the rule that asks for equal steps
    result = assess(evidence(tmp_path, shown=(*JAX, "data-sharding"), rules=rules), "tpu-pod")
    assert mark_of(result, "equally many steps").mark is Mark.UNKNOWN
    assert mark_of(result, "same collectives").mark is Mark.UNKNOWN
    assert result.verdict is Verdict.UNKNOWN


def test_a_plain_fact_needs_no_rule_unless_it_is_essential(tmp_path):
    shown = (*JAX, "initialise-torch", "shutdown", "data-sharding")
    result = assess(evidence(tmp_path, shown=shown, rules=frozenset({"DT101"})), "torchrun")
    assert mark_of(result, "shut down").mark is Mark.WORKS
    assert mark_of(result, "own part of the data").mark is Mark.UNKNOWN


def test_a_group_that_is_left_alone_is_not_shut_down(tmp_path):
    shown = (*JAX, "initialise-torch", "shutdown", "data-sharding")
    left = assess(evidence(tmp_path, finding("DT516", effect="waste"), shown=shown), "torchrun")
    assert mark_of(left, "shut down").mark is Mark.FAILS
    assert mark_of(left, "find each other").mark is Mark.WORKS
    late = assess(evidence(tmp_path, finding("DT516", effect="crash"), shown=shown), "torchrun")
    assert mark_of(late, "shut down").mark is Mark.WORKS
    assert mark_of(late, "find each other").mark is Mark.FAILS


def test_a_finding_that_no_line_asks_for_still_counts(tmp_path):
    result = assess(evidence(tmp_path, finding("DT601"), shown=(*JAX, "data-sharding")), "tpu-pod")
    assert result.verdict is Verdict.NOT_READY
    assert "DT601" in mark_of(result, "nothing else").text


def test_files_that_could_not_be_analysed_leave_the_verdict_open(tmp_path):
    broken = (Incomplete("model.py", 3, "invalid syntax"),)
    result = assess(evidence(tmp_path, shown=(*JAX, "data-sharding"), incomplete=broken), "tpu-pod")
    assert result.verdict is Verdict.UNKNOWN


def test_launch_findings_and_missing_launch_files(tmp_path):
    shown = (*JAX, "data-sharding")
    bad = finding("DT902", "run.sh", 3, "`train.py` starts on one worker", "hang")
    result = assess(evidence(tmp_path, bad, shown=shown), "tpu-pod")
    assert mark_of(result, "all workers of the pod").mark is Mark.FAILS
    result = assess(evidence(tmp_path, shown=shown, run="echo hello\n"), "tpu-pod")
    assert mark_of(result, "all workers of the pod").mark is Mark.UNKNOWN
    assert result.verdict is Verdict.UNKNOWN
    result = assess(evidence(tmp_path, shown=shown, run=POD.replace("all", "0")), "tpu-pod")
    assert "no command" in mark_of(result, "all workers of the pod").text


def test_every_target_has_its_own_launch_line(tmp_path):
    text = {
        "torchrun": "torchrun --standalone --nproc_per_node=2 train.py\n",
        "accelerate": "accelerate launch --num_processes 2 train.py\n",
        "deepspeed": "deepspeed --num_gpus 2 train.py\n",
        "slurm": "#!/bin/sh\n#SBATCH --nodes=2\nsrun --kill-on-bad-exit=1 python train.py\n",
    }
    for target, script in text.items():
        result = assess(evidence(tmp_path, shown=(*JAX, "data-sharding"), run=script), target)
        assert all(answer.mark is Mark.WORKS for answer in result.section("launch")), target
        other = assess(evidence(tmp_path, shown=(*JAX, "data-sharding"), run=script), "k8s")
        assert other.section("launch")[0].mark is Mark.UNKNOWN


def test_slurm_asks_whether_the_job_ends(tmp_path):
    script = "#!/bin/sh\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\nsrun python train.py\n"
    result = assess(evidence(tmp_path, run=script), "slurm")
    assert mark_of(result, "job ends").mark is Mark.UNKNOWN
