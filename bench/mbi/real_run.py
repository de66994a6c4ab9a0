"""Is a label true on real processes? Runs programs on gloo; needs the framework, Linux or macOS, and patience.

One process imports the framework once and forks the ranks of every program from itself.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.mbi.generate import Program
from bench.mbi.world import WORLD_SIZE

START_SECONDS = 20.0  # nobody has finished yet
PATIENCE_SECONDS = 4.0  # somebody has finished, the others should follow
POLL_SECONDS = 0.02


def real_verdicts(programs: Sequence[Program]) -> dict[str, str]:
    """finished, hang or failed, by program name; all of one framework."""
    (framework,) = {program.framework for program in programs}
    repository = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory(prefix="dtlint-mbi-") as directory:
        paths = []
        for program in programs:
            path = Path(directory) / program.path
            path.write_text(program.text, encoding="utf-8")
            paths.append(str(path))
        environment = {**os.environ, "PYTHONPATH": str(repository), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "bench.mbi.real_run", framework, *paths],
            cwd=repository,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {Path(answer["path"]).stem: answer["verdict"] for answer in answers}


def run_ranks(path: str, size: int = WORLD_SIZE) -> str:
    """torch meets through a file, JAX through a port."""
    meeting = tempfile.mkdtemp(prefix="dtlint-gloo-")
    port = free_port()
    try:
        ranks = [fork_rank(path, rank, size, meeting, port) for rank in range(size)]
        return watch(ranks)
    finally:
        shutil.rmtree(meeting, ignore_errors=True)


def fork_rank(path: str, rank: int, size: int, meeting: str, port: int) -> int:
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        if not os.environ.get("DTLINT_MBI_SHOW"):
            os.dup2(silence, 2)
        become(rank, size, meeting, port)
        runpy.run_path(path, run_name="__main__")
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except BaseException as problem:
        print(f"rank {rank}: {problem!r}"[:300], file=sys.stderr)
    finally:
        os._exit(code)


def become(rank: int, size: int, meeting: str, port: int) -> None:
    """Give this process its rank, and make the start of the framework find the others."""
    os.environ.update({"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank)})
    os.environ.update({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "JAX_PLATFORMS": "cpu"})
    if "torch" in sys.modules:
        join_torch(rank, size, meeting)
    if "jax" in sys.modules:
        join_jax(rank, size, port)


def join_torch(rank: int, size: int, meeting: str) -> None:
    """With DETAIL, collectives are checked against each other before they run."""
    dist = importlib.import_module("torch.distributed")
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    dist.set_debug_level_from_env()
    initialise = dist.init_process_group

    def through_file(backend: str, **_: object) -> None:
        initialise(backend, init_method=f"file://{meeting}/store", rank=rank, world_size=size)

    setattr(dist, "init_process_group", through_file)  # noqa: B010  a stand-in, on purpose


def join_jax(rank: int, size: int, port: int) -> None:
    jax = importlib.import_module("jax")
    initialise = jax.distributed.initialize

    def on_this_machine() -> None:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        initialise(f"127.0.0.1:{port}", num_processes=size, process_id=rank)

    setattr(jax.distributed, "initialize", on_this_machine)  # noqa: B010  a stand-in, on purpose


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def watch(ranks: list[int]) -> str:
    """A rank that neither finishes nor fails while others have gone waits for ever."""
    alive, codes = set(ranks), []
    deadline = time.monotonic() + START_SECONDS
    try:
        while alive:
            for process in sorted(alive):
                ended, status = os.waitpid(process, os.WNOHANG)
                if ended:
                    alive.discard(process)
                    codes.append(os.waitstatus_to_exitcode(status))
                    deadline = min(deadline, time.monotonic() + PATIENCE_SECONDS)
            if any(codes):
                return "failed"
            if alive and time.monotonic() > deadline:
                return "hang"
            time.sleep(POLL_SECONDS)
        return "finished"
    finally:
        for process in alive:
            os.kill(process, 9)
            os.waitpid(process, 0)


def main(framework: str, paths: list[str]) -> None:
    importlib.import_module(framework)  # once, before the forks

    for path in paths:
        print(json.dumps({"path": path, "verdict": run_ranks(path)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
