"""Does `dtlint launch` work from the command line, and find the right files?"""

from __future__ import annotations

import json
import subprocess

import pytest
from click.testing import CliRunner

from dtlint.cli import commands
from dtlint.launch.files import launch_files
from dtlint.launch.workers import hosts
from dtlint.mistakes import Mistake

BAD = "torchrun --standalone --nnodes=2 --nproc_per_node=8 train.py\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "run.sh").write_text(BAD)
    (tmp_path / "ok.sbatch").write_text("torchrun --standalone train.py\n")
    (tmp_path / "train.py").write_text("import torch\n")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(commands, ["launch", "--no-cache", "--isolated", *arguments])


def test_findings_and_exit_codes(project):
    done = run("--output-format", "json")
    data = json.loads(done.output.partition("\ndtlint:")[0])
    assert done.exit_code == 1
    assert [(item["code"], item["path"], item["line"]) for item in data["findings"]] == [("DT901", "jobs/run.sh", 1)]
    assert run("ok.sbatch").exit_code == 0
    assert run("--exit-zero").exit_code == 0
    assert run("--ignore", "DT901").exit_code == 0


def test_a_wrong_file_makes_the_check_incomplete(project):
    (project / "ds.json").write_text('{"train_batch_size": 8,}')
    done = run("ok.sbatch", "ds.json")
    assert done.exit_code == 3
    assert "not valid JSON" in done.output


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("job.yaml", "kind: Job\ncommand: [torchrun --nnodes=2 train.py\n", 3, "job.yaml:3: not valid YAML"),
        ("other.yaml", "a: [1, 2\nb: }\n", 0, "other.yaml:2: not valid YAML"),
        ("other.json", '{"a": 1,, }\n', 0, "not read as a launch file"),
    ],
)
def test_files_that_cannot_be_parsed_are_answered(project, name, text, code, said):
    (project / name).write_text(text)
    done = CliRunner().invoke(commands, ["check", "--no-cache", "--isolated", name])
    assert done.exit_code == code
    assert said in done.output


def test_a_comment_suppresses(project):
    (project / "jobs" / "run.sh").write_text("# dtlint: ignore[DT901] -- a test of the timeout\n" + BAD)
    assert run("jobs").exit_code == 0


def test_listing(project):
    done = run("--list")
    assert done.exit_code == 0
    rows = [line.split() for line in done.output.splitlines()]
    assert ["jobs/run.sh:1", "torchrun", "16", "processes", "on", "2", "nodes", "train.py"] in rows


def test_nothing_there(project):
    assert isinstance(run("gone").exception, Mistake)
    (project / "empty").mkdir()
    done = run("empty")
    assert done.exit_code == 0 and "0 files matched" in done.output


def paths(*arguments, **options):
    return [file.path for file in launch_files(arguments, **options).files]


def test_which_files(project):
    for name in ("venv/lib/x.sh", "a/b.yml", "a/c.JSON", "a/notes.md", ".git/hooks/pre.sh"):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("torchrun x.py\n")
    assert paths(".") == ["a/b.yml", "a/c.JSON", "jobs/run.sh", "ok.sbatch"]
    assert paths(".", exclude=["a/"]) == ["jobs/run.sh", "ok.sbatch"]
    assert paths("jobs", "ok.sbatch", "train.py") == ["jobs/run.sh", "ok.sbatch"]
    assert paths("jobs/run.sh", exclude=["jobs/"]) == ["jobs/run.sh"]


def test_files_that_git_ignores(project):
    subprocess.run(["git", "init", "-q"], check=True, cwd=project)
    (project / ".gitignore").write_text("jobs/\n")
    assert paths(".") == ["ok.sbatch"]


@pytest.mark.parametrize(
    ("accelerator", "number"),
    [("v4-32", 4), ("v4-16", 2), ("v4-8", 1), ("v3-8", 1), ("v2-8", 1), ("v3-32", 4), ("v5p-128", 16),
     ("v5litepod-8", 1), ("v5litepod-16", 4), ("v6e-256", 64), ("v6e-4", 1), ("a100-8", None), ("v4", None)],
)  # fmt: skip
def test_hosts_of_a_tpu(accelerator, number):
    assert hosts(accelerator) == number
