"""How is the code of a traced run kept from the rest of the machine?

Called by the server inside the user's Python, before any framework is imported. Every measure that the system refuses
becomes a notice: a run never claims an isolation that it does not have. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from dataclasses import dataclass

from dtlint.trace.keeper import SET_CHILD_SUBREAPER, SET_PARENT_DEATH_SIGNAL, process_control

NEW_MOUNTS, NEW_USER, NEW_NETWORK = 0x00020000, 0x10000000, 0x40000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 1 << 18
MACHINE = ("/dev", "/proc", "/sys")
MOUNT_SETATTR = 442  # the same number on every architecture of Linux
AT_FDCWD, AT_RECURSIVE, ATTR_READ_ONLY = -100, 0x8000, 0x1
MEBI = 1024 * 1024

SECRET_WORDS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "CREDENTIAL", "PRIVATE_KEY", "AUTH_SOCK")
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "WANDB_MODE": "disabled",
    "WANDB_SILENT": "true",
    "COMET_MODE": "disabled",
    "MLFLOW_TRACKING_URI": "",
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_PLATFORMS": "cpu",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",  # with the next one: libtpu compiles without asking who is there
    "TPU_ACCELERATOR_TYPE": "v5litepod-8",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
}


@dataclass(frozen=True)
class Limits:
    """What one process of the run may use."""

    cpu_seconds: int = 300
    memory: int = 16 * 1024 * MEBI
    file_size: int = 256 * MEBI
    scratch: int = 1024 * MEBI  # everything it writes, together


def environment(base: dict[str, str]) -> dict[str, str]:
    """The environment of the run: no secrets, and every framework told to stay offline."""
    kept = {name: value for name, value in base.items() if not any(word in name.upper() for word in SECRET_WORDS)}
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "PYTHONSTARTUP", "PYTHONINSPECT"):
        kept.pop(name, None)
    return {**kept, **OFFLINE}


def _call(function: str, *arguments: object) -> bool:
    try:
        return getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments) == 0
    except (OSError, AttributeError):
        return False


def _map_user(user: int, group: int) -> None:
    """Inside a new user namespace, stay who we were."""
    with contextlib.suppress(OSError):
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def loopback_up() -> bool:
    """A new network namespace starts with its loopback down; real gloo needs it."""
    import fcntl
    import socket
    import struct

    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sH14s", b"lo", 0x1 | 0x40, b"")  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(probe.fileno(), 0x8914, request)  # SIOCSIFFLAGS
        return True
    return False


def enter(limits: Limits) -> list[str]:
    """Isolate this process and all it will start. Must run before a second thread exists."""
    notices = []
    process_control(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    process_control(SET_CHILD_SUBREAPER, 1)
    user, group = os.getuid(), os.getgid()
    linux = sys.platform.startswith("linux")
    if linux and _call("unshare", NEW_NETWORK):
        loopback_up()
    elif linux and _call("unshare", NEW_USER | NEW_NETWORK):
        _map_user(user, group)
        loopback_up()
    else:
        notices.append("network not isolated: this system does not allow a network namespace")
    wanted = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_AS, limits.memory),
    )
    for kind, value in wanted:
        try:
            _, hard = resource.getrlimit(kind)
            ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (ceiling, ceiling))
        except (OSError, ValueError):
            notices.append(f"limit {kind} could not be set")
    return notices


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> bool:
    encoded = (source.encode(), target.encode(), kind.encode() if kind else None)
    return _call("mount", *encoded, ctypes.c_ulong(flags), options.encode() or None)


def _read_only(path: bytes, how: int, value: bool) -> bool:
    """Change the write permission of a mount, or of all mounts below it, in one call."""
    attributes = (ctypes.c_uint64 * 4)(ATTR_READ_ONLY if value else 0, 0 if value else ATTR_READ_ONLY, 0, 0)
    library = ctypes.CDLL(None, use_errno=True)
    try:
        size = ctypes.c_size_t(ctypes.sizeof(attributes))
        answer = library.syscall(MOUNT_SETATTR, AT_FDCWD, path, how, ctypes.byref(attributes), size)
    except (OSError, AttributeError):
        return False
    return answer == 0


def mount_points() -> list[str]:
    """Where something is mounted, outer places first."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        named = {line.split(" ")[4].encode().decode("unicode_escape") for line in file}  # a space is `\040` there
    return sorted(named)


def private_files(scratch: str, written: list[str], limits: Limits) -> bool:
    """Let the run write wherever it likes, into memory that vanishes with it.

    Every file system gets a layer on top that takes all writes, and the run lives in a root made of these layers. What
    shows the machine itself is there as it was, and what takes no layer can be read. False when the system does not
    allow that, or for one of the directories in `written`: ask `can_have_private_files` first.
    """
    if not sys.platform.startswith("linux") or not _call("unshare", NEW_MOUNTS):
        return False
    if not _mount("none", "/", None, RECURSIVE | PRIVATE):
        return False
    places = mount_points()
    if not _mount("tmpfs", scratch, "tmpfs", 0, f"size={limits.scratch},mode=0700"):
        return False
    if not _read_only(b"/", AT_RECURSIVE, True) or not _read_only(scratch.encode(), 0, False):
        return False
    root = os.path.join(scratch, "root")
    os.mkdir(root)
    layered = set()
    for number, place in enumerate(places):
        if place.startswith(tuple(f"{other}/" for other in MACHINE)):
            continue  # it comes with them
        if place not in MACHINE and _layer(scratch, number, place, root + place):
            layered.add(place)
        elif not _mount(place, root + place, None, BIND | RECURSIVE) and place in ("/", *MACHINE):
            return False
    if any(home_of(directory, places) not in layered for directory in written):
        return False
    if os.path.isdir("/dev/shm") and not _mount("tmpfs", f"{root}/dev/shm", "tmpfs", 0, f"size={limits.scratch}"):
        return False
    return _call("chroot", root.encode()) and all(map(os.path.isdir, (scratch, *written)))


def _layer(scratch: str, number: int, place: str, target: str) -> bool:
    if not os.path.isdir(place) or any(character in place for character in ",:\\"):
        return False
    upper, work = (os.path.join(scratch, f"{name}{number}") for name in ("upper", "work"))
    os.mkdir(upper)
    os.mkdir(work)
    os.chmod(upper, os.stat(place).st_mode & 0o7777)
    return _mount("overlay", target, "overlay", 0, f"lowerdir={place},upperdir={upper},workdir={work}")


def home_of(directory: str, places: list[str]) -> str:
    """The file system that it lies on."""
    return max((place for place in places if f"{directory}/".startswith(f"{place.rstrip('/')}/")), key=len)


def can_have_private_files(scratch: str, written: list[str], limits: Limits) -> bool:
    """Try it in a throw-away process: half an isolation would be worse than none."""
    child = os.fork()
    if child == 0:
        answer = 1
        with contextlib.suppress(BaseException):
            answer = 0 if private_files(scratch, written, limits) else 1
        os._exit(answer)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
