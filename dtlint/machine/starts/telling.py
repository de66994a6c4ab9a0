"""Does a function name something by which ranks may part, where they meet, or that other rules follow?

A word alone says little: `softmax` may be a layer that draws or arithmetic, and `device` an attribute of anything. It
matters whose it is: a library's, where it is taken from the library's modules, or a method of whatever is asked for it.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_name, every_node
from dtlint.knowledge.telling import ANYBODY, MEETING
from dtlint.machine.core import Machine
from dtlint.project.imports import ImportLine

NOBODY: frozenset[str] = frozenset()


def tells(machine: Machine, path: str, function: ir.Function) -> bool:
    telling = machine.knowledge.telling
    renamed = other_names(machine, path)
    words = (function.tokens & telling.words) | (function.tokens & renamed.keys())
    if not words:
        return False
    if any(param.name in telling.parameters for param in function.params):
        return True
    known = libraries(machine)
    for node in every_node((function.decorators, function.params, function.body)):
        if isinstance(node, ir.Const):
            if type(node.value) is str and node.value in telling.texts:
                return True
        elif isinstance(node, ir.Name | ir.Attr):
            name = node.id if isinstance(node, ir.Name) else node.name
            if name in words and not owners(machine, path, node, renamed.get(name, name)).isdisjoint(known):
                return True
    return False


COUNTING = frozenset({"len", "numel", "nelement", "any", "sum", "item", "count_nonzero"})


def asks_for_counts(function: ir.Function) -> bool:
    """`if len(positive) > 0:`, `if labels.numel() == 0: return`: how many there are may be each rank's own."""
    return any(
        is_count(part)
        for node in every_node(function.body)
        if isinstance(node, ir.If | ir.IfExp)
        for part in every_node(node.test)
    )


def is_count(node: object) -> bool:
    if isinstance(node, ir.Compare):
        return any(isinstance(side, ir.Const) and type(side.value) is int for _, side in node.pairs)
    return isinstance(node, ir.Call) and called_name(node) in COUNTING


def other_names(machine: Machine, path: str) -> dict[str, str]:
    """`from torch.nn.parallel import DistributedDataParallel as DDP`: what this file calls such things, and their own
    names."""
    known: dict[str, dict[str, str]] = machine.notes.setdefault("other names", {})
    if path not in known:
        last = ((name, meant.rpartition(".")[2]) for name, meant in bound_by_imports(machine, path).items())
        known[path] = {name: own for name, own in last if own != name and own in machine.knowledge.telling.words}
    return known[path]


def owners(machine: Machine, path: str, node: ir.Name | ir.Attr, name: str) -> frozenset[str]:
    """The libraries whose it may be."""
    telling = machine.knowledge.telling
    everyone = telling.everything.get(name, NOBODY)
    of_things = telling.of_things.get(name, NOBODY)
    root, below = node, ""
    while isinstance(root, ir.Attr):
        root, below = root.value, f".{root.name}{below}"
    imported = bound_by_imports(machine, path).get(root.id) if isinstance(root, ir.Name) else None
    if imported is None and isinstance(node, ir.Attr):
        return of_things
    dotted = machine.knowledge.canonical(f"{imported}{below}") if imported else ""
    library = dotted.partition(".")[0]
    if library not in telling.libraries:
        return everyone  # the program's own, or of a library that nobody knows: it may have it from anywhere
    api = machine.knowledge.api(dotted)
    if api is not None and api.does in MEETING:
        return frozenset({ANYBODY})
    return (everyone & {library, ANYBODY}) | (of_things if below else NOBODY)


def libraries(machine: Machine) -> frozenset[str]:
    """Those that any file of the program imports, and those that the program is."""
    packages = machine.project.packages()
    known: frozenset[str] | None = machine.notes.get("libraries")
    if known is None:
        used = {machine.knowledge.canonical(name).partition(".")[0] for name in packages}
        own = {name for name in machine.knowledge.telling.libraries if machine.project.find_package(name)}
        known = machine.notes["libraries"] = frozenset({ANYBODY, *packages, *used, *own})
    return known


def bound_by_imports(machine: Machine, path: str) -> dict[str, str]:
    """The names that a file's imports bind, and what each stands for; nothing, where it is the program's own."""
    known: dict[str, dict[str, str]] = machine.notes.setdefault("bound by imports", {})
    if path not in known:
        found = known[path] = {}
        for line in machine.project.import_lines(path):
            for name, meant in zip(line.bound, meant_by(line), strict=True):
                own = line.level or is_own(machine, path, line.module)
                found[name] = "" if own or found.get(name, meant) != meant else meant
    return known[path]


def meant_by(line: ImportLine) -> list[str]:
    if line.names:
        return [f"{line.module}.{name}" for name in line.names]
    return [name if line.module.startswith(f"{name}.") else line.module for name in line.bound]


def is_own(machine: Machine, path: str, module: str) -> bool:
    dotted = machine.project.resolve(path, module, 0) or module
    return machine.project.find_module(dotted) is not None or machine.project.find_package(dotted)
