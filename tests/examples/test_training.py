"""Do the fixed programs learn, on several ranks or devices, and do the broken ones break as they are said to?"""

from __future__ import annotations

import importlib.util
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import running

pytestmark = pytest.mark.slow
NEEDS = {"jax_pmap_rendezvous": ("jax", "optax", "torch"), "tpu_multihost": ("jax", "optax", "orbax")}


def need(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


@pytest.mark.parametrize("name", running.NAMES)
def test_fixed_learns(name: str) -> None:
    need(*NEEDS.get(name, ("torch",)))
    example = running.load(name)
    ran = running.run_example(sys.executable, example, "fixed")
    assert ran is not None and ran.code == 0, ran and ran.output[-2000:]
    losses = ran.losses(example.data["loss"]["pattern"])
    assert len(losses) > 1 and losses[-1] < losses[0] * example.data["loss"]["falls_below"], losses


@pytest.mark.parametrize("name", [name for name in running.NAMES if running.load(name).data["start"]["broken"]])
def test_broken_breaks(name: str) -> None:
    need(*NEEDS.get(name, ("torch",)))
    example = running.load(name)
    ran = running.run_example(sys.executable, example, "broken", timeout=40)
    assert ran is not None and ran.code != 0, ran and ran.output[-2000:]
    hangs = ran.code is None
    assert hangs or re.search(example.data["start"]["broken_says"], ran.output, re.IGNORECASE), ran.output[-2000:]


LIMIT = 240  # seconds for what ends by itself in five: a busy machine is no reason to fail
PAIRS = running.FOLDER / "ddp_troubleshooting" / "pairs"
# Races: which rank has to be late, where and for how long (seconds), so that they are lost every time.
LATE = {
    "checkpoint_race_broken.py": ("0", "2", "torch:save"),
    "periodic_barrier_broken.py": ("1", "0.03", "torch.optim:SGD.step"),
}
SHOWN = {row.file for row in running.load("ddp_troubleshooting").expected if "/" in row.file and row.shown == "run"}


def pair(path: Path) -> list[object]:
    arguments = ["--path", "{tmp}/checkpoint.pt"] if path.name.startswith("checkpoint") else []
    if path.name in LATE:
        return ["torchrun", 2, str(Path(__file__).with_name("late.py")), *LATE[path.name], str(path), *arguments]
    return ["torchrun", 2, path.name, *arguments]


@pytest.mark.parametrize("name", sorted(path.name for path in PAIRS.glob("*_fixed.py")))
def test_fixed_pair_ends_well(name: str) -> None:
    need("torch")
    ran = running.run(sys.executable, PAIRS, pair(PAIRS / name), {}, LIMIT)
    assert ran.code == 0 and ran.output.count("done") == 2, ran.output[-2000:]


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_broken_pair_fails_or_hangs(name: str) -> None:
    need("torch")
    ran = running.run(sys.executable, PAIRS, pair(running.FOLDER / "ddp_troubleshooting" / name), {}, 20)
    assert ran.code != 0, ran.output[-2000:]


def out_of_memory(where: str, script: str, *arguments: str) -> running.Ran:
    helper = Path(__file__).with_name("out_of_memory.py")
    words = ["torchrun", 2, str(helper), where, str(running.FOLDER / script), *arguments]
    return running.run(sys.executable, running.FOLDER, words, {}, 40)


@pytest.mark.parametrize(
    ("script", "arguments", "said"),
    [
        ("ddp_troubleshooting/pairs/oom_handling_fixed.py", (), "done"),
        ("ddp_troubleshooting/fixed.py", ("--checkpoint", "{tmp}/last.pt", "--epochs", "1"), "epoch 0 loss"),
        (
            "ddp_robust/fixed.py",
            ("--num-epochs", "1", "--log-dir", "{tmp}/logs", "--checkpoint-dir", "{tmp}/checkpoints"),
            "epoch 0 mean loss",
        ),
    ],
)
def test_fixed_agrees_when_one_rank_is_out_of_memory(script: str, arguments: tuple[str, ...], said: str) -> None:
    need("torch")
    ran = out_of_memory("forward", script, *arguments)
    assert ran.code == 0 and said in ran.output, ran.output[-2000:]


@pytest.mark.parametrize("name", ["oom_handling", "error_recovery"])
def test_broken_recovery_parts_the_ranks(name: str) -> None:
    need("torch")
    ran = out_of_memory("backward", f"ddp_troubleshooting/pairs/{name}_broken.py")
    assert ran.code != 0, ran.output[-2000:]


def test_ddp_robust_resumes_and_runs_alone(tmp_path: Path) -> None:
    need("torch")
    folder = running.FOLDER / "ddp_robust"
    places = [
        "--log-dir",
        str(tmp_path / "logs"),
        "--checkpoint-dir",
        str(tmp_path / "checkpoints"),
        "--dataset-size",
        "512",
    ]
    alone = running.run(sys.executable, folder, ["python", "fixed.py", "--num-epochs", "1", *places], {}, LIMIT)
    assert alone.code == 0, alone.output[-2000:]
    again = running.run(
        sys.executable, folder, ["torchrun", 2, "fixed.py", "--num-epochs", "2", "--resume", *places], {}, LIMIT
    )
    assert again.code == 0 and "resumed after epoch 0" in again.output, again.output[-2000:]
    assert "epoch 0 step" not in again.output
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {"rank_0.log", "rank_1.log"}


def test_tpu_multihost_on_two_processes(tmp_path: Path) -> None:
    """Two hosts of one CPU device each: equal counts of different documents, one checkpoint by both."""
    need("jax", "optax", "orbax")
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        address = f"localhost:{probe.getsockname()[1]}"
    script = str(running.FOLDER / "tpu_multihost" / "fixed.py")
    shared = ["--coordinator", address, "--processes", "2", "--steps", "100", "--output", str(tmp_path / "output")]
    hosts = [
        subprocess.Popen(
            [sys.executable, script, *shared, "--corpus", str(tmp_path / "corpus.jsonl"), "--process-id", str(index)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        )
        for index in range(2)
    ]  # fmt: skip
    try:
        outputs = [host.communicate(timeout=120)[0] for host in hosts]
    finally:
        for host in hosts:
            host.kill()
    assert [host.returncode for host in hosts] == [0, 0], outputs
    assert "[process 1/2] reads every 2th document from 1 on" in outputs[1]
    lines = (tmp_path / "output" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    assert losses[-1] < 0.4 * losses[0]
    assert (tmp_path / "output" / "checkpoints" / "100").is_dir()


def test_documents_are_shared_out_evenly(tmp_path: Path) -> None:
    """41 documents on 4 hosts: 10 each, none twice, the odd one left out."""
    need("jax", "numpy")
    sys.path.insert(0, str(running.FOLDER / "tpu_multihost"))
    try:
        from corpus import write_corpus
        from documents import documents_of_process
    finally:
        sys.path.pop(0)
    path = tmp_path / "corpus.jsonl"
    write_corpus(path, documents=41)
    whole = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    parts = []
    for process in range(4):
        stream = documents_of_process(path, process, 4)
        parts.append([next(stream) for _ in range(10)])
        assert next(stream) == parts[-1][0]
    assert sorted(text for part in parts for text in part) == sorted(whole[:40])
