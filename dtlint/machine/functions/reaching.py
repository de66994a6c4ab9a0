"""Through which names can something be reached that any rule asks for?"""

from __future__ import annotations

from dtlint.ir.nodes import OWN_ITEM
from dtlint.project.modules import Project

# method names so common that reaching one by name says nothing
EVERYWHERE = frozenset(
    [
        *("forward", "get", "update", "run", "append", "items", "keys", "values", "close"),
        *("write", "read", "add", "step", "reset", "load", "main", "wrapper", "inner"),
        *("decorator", "copy", "size", "print", "log", "info", "format", "join", "split"),
        *("open", "apply", "build", "create", "call", "process", "setup", "start", "stop"),
        *("wait", "send", "recv"),
    ]
)


def names_reaching(project: Project, paths: tuple[str, ...], seeds: frozenset[str]) -> frozenset[str]:
    """Names through which one of the seeds can be reached, found bottom-up by name."""
    found = set(seeds)
    known = [function for path in paths for function in project.functions(path)]
    changed = True
    while changed:
        changed = False
        rest = []
        for name, tokens, class_name in known:
            if tokens.isdisjoint(found):
                rest.append((name, tokens, class_name))
                continue
            changed = True
            if class_name is not None:
                found.add(class_name)
            if not name.startswith("__") and name not in EVERYWHERE:
                found.add(name)
            elif name == "__getitem__":
                found.add(OWN_ITEM)
        known = rest
    return frozenset(found)
