"""What did one command cost? Wall time, and the peak memory of its whole process tree."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.02
SHARE = 0.05  # of one processor that looking may take: each look goes through all pages of all processes


@dataclass(frozen=True, slots=True)
class Cost:
    """`tree` is the largest sum over all processes at one time (shared pages once), where the system tells."""

    wall: float
    processor: float
    largest_process_mib: float
    tree_mib: float
    exit_code: int
    errors: str = ""


def measured(command: Sequence[str], directory: Path, environment: dict[str, str], limit: float) -> Cost:
    """Peaks are sampled on a thread; the wall clock is read around the process alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    peaks = Peaks(process.pid)
    peaks.start()
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
    wall = time.perf_counter() - started
    peaks.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, used, peaks.largest / 1024, peaks.tree / 1024, process.returncode, errors[-400:])


class Peaks(threading.Thread):
    """Samples /proc; elsewhere the peaks stay 0."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root = root
        self.largest = 0
        self.tree = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        if not sys.platform.startswith("linux"):
            return
        pause = SAMPLE_SECONDS
        while not self.stopped.wait(pause):
            begun = time.thread_time()
            sizes = [proportional_size(process) for process in family(self.root)]
            self.largest = max(self.largest, *(resident_peak(process) for process in family(self.root)), 0)
            self.tree = max(self.tree, sum(sizes))
            pause = max(SAMPLE_SECONDS, (time.thread_time() - begun) / SHARE)

    def stop(self) -> None:
        self.stopped.set()
        self.join()


def family(root: int) -> list[int]:
    """The process and everything below it."""
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        for task in listed(f"/proc/{process}/task"):
            waiting += [int(child) for child in read(f"/proc/{process}/task/{task}/children").split()]
    return found


def listed(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def read(path: str) -> str:
    """Processes may vanish between two looks."""
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def proportional_size(process: int) -> int:
    return kilobytes(read(f"/proc/{process}/smaps_rollup"), "Pss:")


def resident_peak(process: int) -> int:
    return kilobytes(read(f"/proc/{process}/status"), "VmHWM:")


def kilobytes(text: str, key: str) -> int:
    for line in text.splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    return 0
