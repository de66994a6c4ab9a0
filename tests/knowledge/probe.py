"""Which rows of the packs does the library installed here contradict? Run in a child: rows in (JSON), complaints out.

It stands alone on purpose: the interpreter that has the libraries need not have dtlint.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import sys
import warnings

MISSING = object()  # the library has no such name
UNSEEN = object()  # this machine cannot import the module it would be in


def find(name: str) -> object:
    """The object behind a dotted name: the longest importable prefix, then attributes."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except Exception:
            if _is_there(".".join(parts[:end])):
                return UNSEEN  # it needs another package, or refuses this machine
            continue
        for position, part in enumerate(parts[end:], end):
            owner = found
            found = _member(owner, part)
            if found is UNSEEN:
                return UNSEEN
            if found is MISSING:
                last = position == len(parts) - 1
                return None if last and _instance_attribute(owner, part) else MISSING
        return found
    return MISSING


def _member(owner: object, part: str) -> object:
    try:
        return getattr(owner, part)
    except AttributeError:
        return MISSING
    except Exception:  # lazy modules import only now
        return UNSEEN


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False
    except Exception:  # an import hook that gave up: mpi4py without an MPI library
        return True


def _instance_attribute(owner: object, name: str) -> bool:
    """Attributes that only instances have: annotated, or assigned in a method of the class or a base."""
    if not inspect.isclass(owner):
        return False
    for base in owner.__mro__:
        if name in getattr(base, "__annotations__", {}):
            return True
        try:
            if f"self.{name}" in inspect.getsource(base):
                return True
        except (OSError, TypeError):
            continue
    return False


def signature_of(found: object) -> inspect.Signature | None:
    """None where Python cannot tell (C functions)."""
    if inspect.isclass(found):
        found = found.__init__ if "__init__" in vars(found) or found.__new__ is object.__new__ else found.__new__
    found = getattr(found, "fget", found)
    try:
        return inspect.signature(found)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def parameters(signature: inspect.Signature) -> list[str] | None:
    """Positional names in order, None where any name goes (`*args`)."""
    names = []
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return None  # `*args` takes any name
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            names.append(parameter.name)
    return names


def complaint(row: dict, found: object) -> str | None:
    if found is MISSING:
        return None if row["optional"] else f"{row['pack']}: {row['name']} does not exist"
    if found is UNSEEN or row["section"] != "call" or not (row["params"] or row.get("usual")):
        return None
    signature = signature_of(found)
    if signature is None:
        return None
    for name, value in row.get("usual", {}).items():
        if name not in signature.parameters or signature.parameters[name].default != value:
            return f"{row['pack']}: {row['name']} does not take {name}={value!r} where it is not given"
    real = parameters(signature) if row["params"] else None
    if real is None:
        return None
    wanted = [name.split("|") for name in row["params"] if name != "self"]
    for given in (real, real[1:] if real[:1] in (["self"], ["cls"], ["_cls"], ["subtype"]) else real):
        if len(given) >= len(wanted) and all(name in spelled for name, spelled in zip(given, wanted)):
            return None
    return f"{row['pack']}: {row['name']} takes {real}, not {wanted}"


def broken(library: str) -> str:
    """Why an installed library cannot be imported on this machine, if so."""
    try:
        importlib.import_module(library)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def main() -> None:
    rows = json.load(sys.stdin)
    said = io.StringIO()
    complaints, unseen = [], []
    with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        warnings.simplefilter("ignore")
        problem = next((text for text in map(broken, sorted({row["name"].split(".")[0] for row in rows})) if text), "")
        for row in [] if problem else rows:
            names = (find(name) for name in (row["name"], *row.get("written", ())))
            found = next((one for one in names if one is not MISSING), MISSING)
            if found is UNSEEN:
                unseen.append(row["name"])
            text = complaint(row, found)
            if text is not None:
                complaints.append(text)
    json.dump({"broken": problem, "unseen": unseen, "complaints": complaints}, sys.stdout)


if __name__ == "__main__":
    main()
