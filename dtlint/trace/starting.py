"""How does Python start a script: as a file of its own folder, or as a module of a package, like `python -m`?

Only the standard library.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import importlib
import os
import sys
import types
from typing import Any

OURS = frozenset({"dtlint", "torch", "jax", "jaxlib", "numpy"})  # what the run itself stands on


def as_main(job: dict[str, Any], last: tuple[str, ...] = ()) -> types.ModuleType:
    """The module in which the script will run, with its arguments and its path; `last` comes at the end of the path,
    and behind it the project itself, which may not be installed on this machine."""
    script = os.path.abspath(job["script"])
    folder, package = job.get("package") or (os.path.dirname(script), "")
    sys.argv = [job["script"], *job.get("arguments", ())]
    project = os.path.abspath(job.get("directory") or os.curdir)
    sys.path[:] = [folder, *(entry for entry in sys.path if entry), *last, project, os.path.join(project, "src")]
    _forget(folder)
    module = types.ModuleType("__main__")
    module.__file__, module.__builtins__ = script, __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    atexit._clear()  # what a framework wants to do at exit is nothing to a fork of its process
    if package:
        module.__package__ = package
        importlib.import_module(package)
    return module


def _forget(folder: str) -> None:
    """A library that somebody has imported already, and that has the name of something beside the script: for the
    script it is what stands beside it."""
    beside = {name.removesuffix(".py") for name in os.listdir(folder)} - sys.stdlib_module_names - OURS
    elsewhere = set()
    for name in beside & sys.modules.keys():
        file = getattr(sys.modules[name], "__file__", None)
        if file and os.path.dirname(os.path.abspath(file)) not in (folder, os.path.join(folder, name)):
            elsewhere.add(name)
    for name in [name for name in sys.modules if name.partition(".")[0] in elsewhere]:
        del sys.modules[name]


def package_of(script: str, module: bool) -> tuple[str, str] | None:
    """Where its package is looked for, and the package, of a script that is started as a `module`, or that could not
    be started in another way because it imports by dots."""
    dots = _dots(script)
    if not module and not dots:
        return None
    folder = os.path.dirname(os.path.abspath(script))
    parts: list[str] = []
    while os.path.isfile(os.path.join(folder, "__init__.py")) or len(parts) < dots:
        folder, name = os.path.split(folder)
        if not name:
            return None
        parts.append(name)
    return folder, ".".join(reversed(parts))


def _dots(script: str) -> int:
    """How many packages above it the script names with dots."""
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        with open(script, "rb") as file:
            tree = ast.parse(file.read())
        return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)
    return 0
