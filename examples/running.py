"""How is an example started, what does dtlint say about it, and did its loss fall?

Shared by `demo.py` and the tests. Needs only the standard library; the programs it starts need torch or jax.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
NAMES = ("jax_pmap_rendezvous", "ddp_robust", "torchft_two_level", "ddp_troubleshooting", "tpu_multihost")


@dataclass(frozen=True)
class Expected:
    """One root cause: which rule names it, and on which lines."""

    code: str
    also: tuple[str, ...]
    file: str
    line: str
    tier: str
    shown: str  # run: a run shows it; inject: a run with a failure on one rank; lint: reading only
    why: str
    known: str = ""  # miss: dtlint does not find it yet

    def lines(self, folder: Path) -> range:
        """The lines that hold the quoted piece of source."""
        text = (folder / self.file).read_text(encoding="utf-8")
        start = text.index(self.line)
        first = text.count("\n", 0, start) + 1
        return range(first, first + self.line.count("\n") + 1)


@dataclass(frozen=True)
class Example:
    name: str
    data: dict[str, Any]

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def expected(self) -> list[Expected]:
        return [Expected(**{**row, "also": tuple(row["also"])}) for row in self.data["findings"]]

    @property
    def broken_files(self) -> list[Path]:
        return [self.folder / name for name in sorted({row.file for row in self.expected})]

    @property
    def broken_program(self) -> list[Path]:
        """The broken files with the modules they share with the fixed ones."""
        return sorted({*self.broken_files, *(path for path in self.fixed_files if "fixed" not in path.name)})

    @property
    def fixed_files(self) -> list[Path]:
        fixed = [
            path for path in self.folder.rglob("*.py") if "broken" not in path.name and "standin" not in path.parts
        ]
        return sorted(fixed)


@dataclass(frozen=True)
class Ran:
    code: int | None  # None: still going when the time was over
    output: str
    seconds: float

    def losses(self, pattern: str) -> list[float]:
        """The losses in the order of their steps, whatever the order in which ranks printed them."""
        found = {int(step): float(loss) for step, loss in re.findall(pattern, self.output)}
        return [found[step] for step in sorted(found)]


def load(name: str) -> Example:
    return Example(name, json.loads((FOLDER / name / "expected.json").read_text(encoding="utf-8")))


def command(python: str, words: list[Any], temporary: str) -> list[str]:
    """`["torchrun", 2, script, …]` or `["python", script, …]` with `{tmp}` filled in."""
    starter, *rest = words
    if starter == "torchrun":
        count, *rest = rest
        prefix = [python, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={count}"]
    else:
        prefix = [python]
    return prefix + [str(word).replace("{tmp}", temporary) for word in rest]


# Before Python 3.14 an interpreter that ends aborts when gloo's thread, held up on a busy machine, only then drops its
# last finished work: it asks for the interpreter's lock and is cancelled in a C++ destructor. No program can help it.
ABORTED_AT_THE_END = "terminate called without an active exception"


def run(python: str, folder: Path, words: list[Any], environment: dict[str, str], timeout: float) -> Ran:
    """What the program does; once more, and once more again, where gloo's thread was too late for the end."""
    for _ in range(2):
        ran = _run_once(python, folder, words, environment, timeout)
        if ABORTED_AT_THE_END not in ran.output:
            return ran
    return _run_once(python, folder, words, environment, timeout)


def _run_once(python: str, folder: Path, words: list[Any], environment: dict[str, str], timeout: float) -> Ran:
    """Run to the end or to the time limit, and leave no process behind."""
    temporary = tempfile.mkdtemp(prefix="dtlint-example-")
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
    settings.update(environment)
    if "PYTHONPATH" in environment:
        settings["PYTHONPATH"] = str(folder / environment["PYTHONPATH"])
    script = next(index for index, word in enumerate(words) if str(word).endswith(".py"))
    words = [*words[:script], str(folder / words[script]), *words[script + 1 :]]
    started = time.monotonic()
    process = subprocess.Popen(
        command(python, words, temporary), cwd=temporary, env=settings, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=timeout)
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        code = None
        _kill(process)
        output, _ = process.communicate()
    finally:
        _kill(process)
        shutil.rmtree(temporary, ignore_errors=True)
    return Ran(code, output, time.monotonic() - started)


def _kill(process: subprocess.Popen[str]) -> None:
    """torchrun puts its workers into sessions of their own: end those that name it as their parent, then the rest."""
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    for pid in (*map(int, children), process.pid):
        for end in (os.killpg, os.kill):
            try:
                end(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def run_example(python: str, example: Example, which: str, timeout: float = 120.0) -> Ran | None:
    words = example.data["start"][which]
    if words is None:
        return None
    environment = example.data["start"]["environment"]
    if which == "fixed":
        environment = {name: value for name, value in environment.items() if name not in ("JAX_PLATFORMS", "XLA_FLAGS")}
    return run(python, example.folder, words, environment, timeout)


def lint(paths: list[Path], *options: str) -> list[dict[str, Any]]:
    """The findings of `dtlint check` on these files."""
    done = subprocess.run(
        [sys.executable, "-m", "dtlint", "check", "--isolated", "--no-cache", "--output-format", "json", *options]
        + [str(path) for path in paths],
        cwd=FOLDER.parent, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(f"dtlint check ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)["findings"]


TIERS: dict[str, list[str]] = {"default": [], "strict": ["--strict"]}


def place_of(finding: dict[str, Any], folder: Path) -> dict[str, str]:
    """What and where, in words that stay true when lines move: the code, the file, the line's text."""
    path = (FOLDER.parent / finding["path"]).resolve()
    text = path.read_text(encoding="utf-8").split("\n")[finding["line"] - 1].strip()
    return {"code": finding["code"], "file": path.relative_to(folder).as_posix(), "line": text}


def matches(row: Expected, finding: dict[str, Any], folder: Path) -> bool:
    """The right rule, with its line or a step of its trail on the lines that hold the cause."""
    if finding["code"] not in (row.code, *row.also):
        return False
    wanted, lines = (folder / row.file).resolve(), row.lines(folder)
    places = [(finding["path"], finding["line"])] + [(step["path"], step["line"]) for step in finding["trail"]]
    return any((FOLDER.parent / path).resolve() == wanted and line in lines for path, line in places)


def found(example: Example, findings: list[dict[str, Any]]) -> list[tuple[Expected, bool]]:
    return [(row, any(matches(row, finding, example.folder) for finding in findings)) for row in example.expected]
