"""`check --verify` runs the checked code and says so; `check` alone never does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dtlint.cli.check import command
from dtlint.findings import Verdict

PROGRAM = """\
from pathlib import Path

import torch
import torch.distributed as dist

Path("ran.txt").write_text("x")


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()
    dist.all_reduce(torch.ones(1))


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(command, [*arguments, "--select", "DT101", "--isolated", "--no-cache"])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """In place of real runs: what they were asked for."""
    from dataclasses import replace

    calls: list[tuple[object, ...]] = []

    def verify(findings, root, mode, budget, *, python, progress):  # type: ignore[no-untyped-def]
        calls.append((Path(root), mode, budget, python))
        return [replace(item, verdict=Verdict("confirmed", "it hung", "run")) for item in findings]

    monkeypatch.setattr("dtlint.trace.verify.verify", verify)
    return calls


def test_check_alone_asks_for_no_run(project: Path, asked: list[tuple[object, ...]]) -> None:
    code, output, errors = check("train.py")
    assert code == 1 and "DT101" in output
    assert asked == [] and "sandbox" not in errors and "traced run" not in output


def test_a_bare_verify_does_not_swallow_the_path(project: Path, asked: list[tuple[object, ...]]) -> None:
    code, output, errors = check("--verify", "train.py", "--python", "python-of-mine")
    assert code == 1
    assert asked == [(project, "auto", 300.0, "python-of-mine")]
    assert "traced run: confirmed (it hung)" in output
    assert "runs code of this project" in errors and "1 confirmed" in errors


@pytest.mark.parametrize("mode", ["run", "slice"])
def test_the_kind_of_run_is_chosen(project: Path, asked: list[tuple[object, ...]], mode: str) -> None:
    check(f"--verify={mode}", "train.py", "--verify-budget", "7")
    assert asked == [(project, mode, 7.0, "")]


def test_verdicts_in_short_and_as_data(project: Path, asked: list[tuple[object, ...]]) -> None:
    assert "[confirmed]" in check("--verify", "train.py", "--output-format", "concise")[1]
    (finding,) = json.loads(check("--verify", "train.py", "--output-format", "json")[1])["findings"]
    assert finding["verdict"] == {"state": "confirmed", "reason": "it hung", "strength": "run"}


def test_an_unknown_kind_is_a_mistake(project: Path) -> None:
    assert check("--verify=often", "train.py")[0] == 2


def test_the_help_says_that_code_is_run() -> None:
    text = CliRunner().invoke(command, ["--help"]).output
    assert "RUN THE CHECKED CODE" in text


def test_without_an_interpreter_nothing_is_dropped(project: Path) -> None:
    nowhere = str(project / "no-python")
    code, output, _ = check("--verify=run", "train.py", "--python", nowhere, "--output-format", "json")
    (finding,) = json.loads(output)["findings"]
    assert code == 1 and finding["verdict"]["state"] == "inconclusive"
    assert not (project / "ran.txt").exists()


@pytest.mark.trace
def test_a_hang_is_seen_happening(project: Path) -> None:
    import os

    code, output, _ = check("--verify=run", "train.py", "--python", os.environ.get("DTLINT_TRACE_PYTHON", ""))
    if "no torch" in output:
        pytest.skip("no torch")
    assert code == 1 and "traced run: confirmed" in output
    assert not (project / "ran.txt").exists()


@pytest.mark.trace
def test_arguments_and_environment_come_from_a_launch_file(project: Path) -> None:
    import os

    wanting = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--data', required=True)\n"
    reading = "def main():\n    import os\n    print(parser.parse_args(), os.environ['LABELS'])\n"
    program = PROGRAM.replace("def main():\n", reading)
    (project / "train.py").write_text(wanting + program)
    (project / "run.sh").write_text(
        "export LABELS=coarse\ntorchrun --nproc_per_node 2 train.py --data $HOME/pictures\n"
    )
    code, out, _ = check(
        "--verify=run", "--output-format", "json", "--python", os.environ.get("DTLINT_TRACE_PYTHON", "")
    )
    if "no torch" in out:
        pytest.skip("no torch")
    assert code == 1
    (found,) = json.loads(out)["findings"]
    assert found["verdict"]["state"] == "confirmed", found["verdict"]
    assert found["verdict"]["reason"].startswith("started as in run.sh:2: COLLECTIVE_TYPE_MISMATCH")
