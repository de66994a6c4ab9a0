"""Who makes sure that nothing of a traced run is left behind?

A small process between dtlint and the sandbox. It owns the temporary directory and adopts every orphan below it, so
that it can kill a grandchild that called setsid. It ends the run when dtlint goes away, for whatever reason: dtlint
holds the other end of a pipe. Started by path with `python -I -S`; standard library only, nothing of dtlint.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SET_PARENT_DEATH_SIGNAL = 1
SET_CHILD_SUBREAPER = 36
STDERR_LIMIT = 16_384


def process_control(option: int, value: int) -> bool:
    """Linux prctl; False where it does not exist."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
    except (OSError, AttributeError, ImportError):
        return False


def parents() -> dict[int, int]:
    """pid → parent pid of every process that can be seen."""
    table: dict[int, int] = {}
    if os.path.isdir("/proc/self"):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    # the command name may hold spaces and brackets: what follows the last bracket is regular
                    table[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
        return table
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        listing = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, timeout=5)
        for line in listing.stdout.splitlines():
            pid, parent = line.split()
            table[int(pid)] = int(parent)
    return table


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    found, waiting = [], [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            found.append(pid)
            waiting.append(pid)
    return found


def reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def kill_below(root: int, spare: frozenset[int] = frozenset(), patience: float = 5.0) -> bool:
    """Kill everything that descends from `root`, again and again until nothing is left."""
    deadline = time.monotonic() + patience
    while True:
        left = [pid for pid in descendants(root) if pid not in spare]
        if not left:
            return True
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        reap()
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)


def remove(directory: str) -> None:
    """A run may have taken away its own write permission: give it back and try once more."""
    shutil.rmtree(directory, ignore_errors=True)
    if os.path.isdir(directory):
        for folder, names, _ in os.walk(directory):
            for name in [folder, *(os.path.join(folder, name) for name in names)]:
                with contextlib.suppress(OSError):
                    os.chmod(name, 0o700)
        shutil.rmtree(directory, ignore_errors=True)


def start(config: dict, root: str) -> subprocess.Popen:
    environment = dict(os.environ)
    for name in ("home", "tmp", "work"):
        os.mkdir(os.path.join(root, name))
    home = os.path.join(root, "home")
    environment.update(HOME=home, TMPDIR=os.path.join(root, "tmp"), XDG_CACHE_HOME=os.path.join(home, ".cache"))
    environment["DTLINT_TRACE_ROOT"] = root
    keeper = os.getpid()

    def before() -> None:
        process_control(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)

    with open(os.path.join(root, "server.log"), "wb") as log:
        return subprocess.Popen(
            config["command"],
            env=environment,
            cwd=config["directory"],
            stdin=config["jobs"],
            stdout=log,
            stderr=log,
            pass_fds=(config["events"],),
            start_new_session=True,
            preexec_fn=before,
        )


def watch(server: subprocess.Popen, life: int, wake: int, deadline: float) -> str:
    """Wait until there is a reason to end; return it in one word."""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "timeout"
        ready, _, _ = select.select([life, wake], [], [], min(left, 0.5))
        if life in ready and not os.read(life, 1):
            return "left"
        if wake in ready and any(number != signal.SIGCHLD for number in os.read(wake, 64)):
            return "signal"
        if server.poll() is not None:
            return "ended"


def main() -> int:
    config = json.loads(sys.argv[1])
    process_control(SET_CHILD_SUBREAPER, 1)
    wake, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    root = tempfile.mkdtemp(prefix="dtlint-trace-")
    status, message, reason = 1, "", "error"
    try:
        deadline = time.monotonic() + float(config["limit"])
        server = start(config, root)
        os.close(config["jobs"])
        reason = watch(server, config["life"], wake, deadline)
        kill_below(os.getpid())
        status = server.wait() if reason == "ended" else 0
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    finally:
        kill_below(os.getpid())
        with contextlib.suppress(OSError), open(os.path.join(root, "server.log"), "rb") as log:
            log.seek(max(0, os.path.getsize(log.name) - STDERR_LIMIT))
            message = log.read().decode("utf-8", "replace") + message
        remove(root)
    farewell = {"type": "farewell", "reason": reason, "status": status, "text": message}
    with contextlib.suppress(OSError):
        os.write(config["events"], (json.dumps(farewell) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
