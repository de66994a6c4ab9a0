"""Nothing of a run is left: no process, no file, however and whenever it ends."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import pytest

from dtlint.trace.session import Job, NotPossible, Session

STUB = str(Path(__file__).with_name("stub_server.py"))
REPOSITORY = Path(__file__).resolve().parents[2]
CLIENT = """
import signal
# ignored by whatever is started in the background, and inherited from there
signal.signal(signal.SIGINT, signal.default_int_handler)
from dtlint.trace.session import Job, Session
with Session(module={stub!r}) as session:
    print("ready", flush=True)
    session.run(Job("nothing.py", arguments=({token!r},), timeout=60))
"""
pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")


def processes_of(token: str) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                command = Path(f"/proc/{name}/cmdline").read_bytes()
                state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if token.encode() in command and state != "Z":
                found.append(int(name))
    return found


def roots(directory: Path) -> list[str]:
    return [name for name in os.listdir(directory) if name.startswith(("dtlint-trace-", "left-"))]


def gone(token: str, directory: Path, patience: float = 10.0) -> bool:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if not processes_of(token) and not roots(directory):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_orphans_of_a_finished_job_are_killed(scratch: Path) -> None:
    token = uuid.uuid4().hex
    with Session(module=STUB) as session:
        result = session.run(Job("nothing.py", arguments=(token, "end"), timeout=20))
        assert result.outcome.kind == "agreed"
        assert roots(scratch), "the temporary directory should exist while the session is open"
        deadline = time.monotonic() + 5
        while not processes_of(token) and time.monotonic() < deadline:
            time.sleep(0.01)  # they are forked, and become visible by their name a moment later
        assert processes_of(token), "the job should have left processes to kill"
    assert gone(token, scratch, 1.0)


def test_a_job_without_answer_times_out(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = uuid.uuid4().hex
    with Session(module=STUB) as session:
        result = session.run(Job("nothing.py", arguments=(token,), timeout=-29))
        assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "timeout")
    assert gone(token, scratch, 1.0)


def test_a_server_that_cannot_start_says_why(scratch: Path) -> None:
    with pytest.raises(NotPossible, match="no_such_module"), Session(module="dtlint.trace.no_such_module"):
        pass
    assert roots(scratch) == []


def stop_at_random(token: str, scratch: Path, chance: random.Random) -> None:
    code = CLIENT.format(stub=STUB, token=token)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(scratch)}
    client = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        if chance.random() < 0.5:
            client.stdout.readline()
        time.sleep(chance.random() * 0.4)
    finally:
        client.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        client.wait(20)
        client.stdout.close()


@pytest.mark.parametrize("number", range(3))
def test_stopped_at_a_random_moment(scratch: Path, number: int) -> None:
    token = uuid.uuid4().hex
    stop_at_random(token, scratch, random.Random(number))
    assert gone(token, scratch)


@pytest.mark.slow
def test_a_hundred_runs_stopped_at_random_moments(scratch: Path) -> None:
    chance = random.Random(4)
    for _ in range(100):
        token = uuid.uuid4().hex
        stop_at_random(token, scratch, chance)
        assert gone(token, scratch)
