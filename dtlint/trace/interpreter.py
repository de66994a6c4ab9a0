"""Which Python runs the script? The one that has its framework, which need not be the one that runs dtlint."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from dtlint.trace.session import NotPossible, install_hint

IMPORTS = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
OF_JAX = {"jax", "flax", "optax", "orbax", "haiku", "equinox", "chex"}
# what only a program that trains with torch names; a JAX program may well read its data with torch.utils.data
TRAINS_WITH_TORCH = re.compile(
    r"\btorch\.(?:distributed|nn|optim|multiprocessing|autograd|cuda)\b"
    r"|^\s*from\s+torch\s+import\s+[^\n]*\b(?:distributed|nn|optim|multiprocessing|autograd|cuda)\b"
    r"|^\s*(?:import|from)\s+(?:lightning|pytorch_lightning|accelerate|deepspeed|torchft|fairscale)\b",
    re.MULTILINE,
)


def framework_of(source: str) -> str:
    """`jax` when the script speaks of jax and trains nothing with torch."""
    names = set(IMPORTS.findall(source))
    return "jax" if names & OF_JAX and not TRAINS_WITH_TORCH.search(source) else "torch"


def candidates() -> list[str]:
    found = []
    environment = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if environment:
        found.append(os.path.join(environment, "bin", "python"))
    found.append(sys.executable)
    found += [path for name in ("python3", "python") if (path := shutil.which(name))]
    return list(dict.fromkeys(path for path in found if os.access(path, os.X_OK)))


def has(python: str, framework: str) -> bool:
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({framework!r}) is None)"
    try:
        return subprocess.run([python, "-c", probe], capture_output=True, timeout=30, cwd="/").returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def choose(wanted: str, framework: str) -> str:
    """The interpreter asked for, or the first that has the framework."""
    if wanted:
        full = shutil.which(wanted) or wanted
        if not os.access(full, os.X_OK):
            raise NotPossible(f"{wanted}: there is no such interpreter")
        # found on the path, it stays as it is: resolving the link would leave its virtual environment
        return os.path.abspath(full)
    options = candidates()
    for python in options:
        if has(python, framework):
            return python
    raise NotPossible(install_hint(framework, options[0]))
