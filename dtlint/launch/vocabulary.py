"""Which program names mean what: launchers, shells, wrappers, and those that only talk of others?"""

from __future__ import annotations

import re

from dtlint.launch.options import ACCELERATE, DEEPSPEED, TORCHRUN

PYTHON = re.compile(r"(?:.*/)?(?:python|pypy|ipython)[\d.]*(?:\.exe)?$")
SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
LAUNCHER_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launcher": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "accelerate.commands.launch": "accelerate",
    "accelerate.commands.accelerate_cli": "accelerate",
    "deepspeed": "deepspeed",
    "deepspeed.launcher.runner": "deepspeed",
}
GRAMMARS = {
    "torchrun": TORCHRUN,
    "torch.distributed.launch": TORCHRUN,
    "accelerate": ACCELERATE,
    "deepspeed": DEEPSPEED,
}
MPI = ("mpirun", "mpiexec", "mpirun_rsh", "mpiexec.hydra", "orterun", "prterun")
RUNNERS = ("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi")  # `uv run …`
REMOTE = ("ssh", "pdsh", "clush", "parallel-ssh", "kubectl")
# Commands that only speak of others.
TALKERS = frozenset(
    {
        "echo", "printf", "cat", "pip", "pip3", "conda", "which", "command", "type", "grep", "egrep", "pkill",
        "pgrep", "kill", "killall", "ps", "alias", "sed", "awk", "cp", "rm", "mv", "mkdir", "man", "git", "apt",
        "apt-get", "yum", "dnf", "brew", "[", "[[", "test", "export", "declare", "local", "readonly", "typeset",
        "return", "exit", "cd", "source", ".", "set", "unset", "trap", "find", "ls", "head", "tail", "tee", "sleep",
        "wait", "module", "touch", "chmod", "scontrol", "squeue", "scancel", "sacct", "curl", "wget",
    }
)  # fmt: skip
# Commands that start the command behind them, with the number of words they take themselves besides options.
WRAPPERS = {
    "env": 0, "nohup": 0, "exec": 0, "sudo": 0, "time": 0, "nice": 0, "stdbuf": 0, "numactl": 0, "setsid": 0,
    "ionice": 0, "eval": 0, "unbuffer": 0, "ibrun": 0, "xvfb-run": 0, "uvx": 0, "catchsegv": 0,
    "timeout": 1, "taskset": 1, "chrt": 1,
}  # fmt: skip
# Options of wrappers that take the next word, and those that do not although another wrapper's do.
VALUE_OPTIONS = frozenset(
    {
        "-u", "-n", "-c", "-k", "-s", "-g", "--user", "--kill-after", "--signal", "-o", "-e", "-i", "-m", "-N",
        "-C", "--cpunodebind", "--membind", "--physcpubind", "-p",
    }
)  # fmt: skip
BARE_OPTIONS_OF = {"env": ("-i",), "sudo": ("-E", "-n", "-H", "-i", "-s"), "setsid": ("-c", "-w")}
