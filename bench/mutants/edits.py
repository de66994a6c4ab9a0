"""Which lines of a correct program become a known bug by one small edit, and what do they become?

An edit is the mistake somebody makes: a rank test before a call that all ranks make, a sampler that is not told the
epoch. It is made in the text of one statement that stands on one line, so the other lines keep their numbers, except
for `leave`, which puts a line before it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COLLECTIVE = frozenset(
    [
        *("barrier", "wait_for_everyone", "sync_global_devices", "synchronize", "reduce", "all_reduce", "broadcast"),
        *("broadcast_object_list", "all_gather", "all_gather_object", "all_gather_into_tensor"),
    ]
)
WRITES = ("torch.save(", "save_checkpoint(", "os.makedirs(", "json.dump(", "SummaryWriter(", "wandb.init(")
RANK_WORDS = ("rank", "is_main", "is_master", "process_index", "main_process")


@dataclass(frozen=True, slots=True)
class Change:
    """The line that is replaced, and by what."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    name: str
    codes: tuple[str, ...]  # any of these says it
    find: Callable[[Module], Iterator[Change]]


@dataclass(frozen=True, slots=True)
class Placed:
    """One node with the nodes around it, outermost first."""

    node: ast.AST
    around: tuple[ast.AST, ...]

    @property
    def in_function(self) -> bool:
        return any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in self.around)

    @property
    def below_rank_test(self) -> bool:
        return any(isinstance(one, ast.If) and about_ranks(one.test) for one in self.around)


class Module:
    """The text of a module by lines, and its statements."""

    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self.source = source
        self.placed = list(walk(ast.parse(source), ()))

    def indent(self, node: ast.stmt) -> str:
        return self.lines[node.lineno - 1][: node.col_offset]

    def text(self, node: ast.stmt) -> str:
        return self.lines[node.lineno - 1].strip()

    def replaced(self, node: ast.expr | ast.keyword, by: str) -> Change:
        line = self.lines[node.lineno - 1].encode()
        changed = line[: node.col_offset] + by.encode() + line[node.end_col_offset :]
        return Change(node.lineno, changed.decode())

    def calls(self) -> Iterator[tuple[Placed, ast.Expr, ast.Call, str, str]]:
        """Statements of one line that are a call of an attribute: with what it is called on, and its name."""
        for placed in self.placed:
            node = placed.node
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and placed.in_function:
                function = node.value.func
                if isinstance(function, ast.Attribute) and node.lineno == node.end_lineno:
                    yield placed, node, node.value, ast.unparse(function.value), function.attr


def walk(node: ast.AST, around: tuple[ast.AST, ...]) -> Iterator[Placed]:
    yield Placed(node, around)
    for child in ast.iter_child_nodes(node):
        yield from walk(child, (*around, node))


def about_ranks(test: ast.expr) -> bool:
    text = ast.unparse(test).lower()
    return any(word in text for word in RANK_WORDS)


def one_line(node: ast.stmt | ast.expr | ast.keyword) -> bool:
    return node.lineno == node.end_lineno


def first_rank(owner: str) -> str | None:
    """The question for the first rank that fits what the collective was called on."""
    if "accelerator" in owner:
        return f"{owner}.is_main_process"
    return f"{owner}.get_rank() == 0" if owner.endswith(("dist", "distributed", "comm")) else None


def collectives(module: Module) -> Iterator[tuple[ast.Expr, ast.Call, str, str]]:
    for placed, node, call, owner, name in module.calls():
        question = first_rank(owner)
        if name in COLLECTIVE and question is not None and not placed.below_rank_test:
            yield node, call, name, question


def guard(module: Module) -> Iterator[Change]:
    for node, _, _, question in collectives(module):
        yield Change(node.lineno, f"{module.indent(node)}if {question}: {module.text(node)}")


def leave(module: Module) -> Iterator[Change]:
    for node, _, _, question in collectives(module):
        indent = module.indent(node)
        yield Change(node.lineno, f"{indent}if not ({question}): return\n{indent}{module.text(node)}")


def own_root(module: Module) -> Iterator[Change]:
    for _, call, _, question in collectives(module):
        root = next((one for one in call.keywords if one.arg in ("src", "dst")), None)
        if root is not None and "get_rank" in question and isinstance(root.value, ast.Constant) and one_line(root):
            yield module.replaced(root.value, question.removesuffix(" == 0"))


def never_waited(module: Module) -> Iterator[Change]:
    for node, call, name, question in collectives(module):
        known = {one.arg for one in call.keywords}
        text = module.text(node)
        if "get_rank" in question and name in ("all_reduce", "broadcast") and "async_op" not in known:
            if text.endswith(")") and call.args:
                yield Change(node.lineno, f"{module.indent(node)}{text[:-1].rstrip(', ')}, async_op=True)")


def same_epoch(module: Module) -> Iterator[Change]:
    for _, node, _, _, name in module.calls():
        if name == "set_epoch":
            yield Change(node.lineno, f"{module.indent(node)}pass")


def no_sampler(module: Module) -> Iterator[Change]:
    if "DistributedSampler" not in module.source:
        return
    for placed in module.placed:
        call = placed.node
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("DataLoader"):
            for keyword in call.keywords:
                if keyword.arg == "sampler" and one_line(keyword) and for_training(call):
                    yield module.replaced(keyword.value, "None")


def for_training(call: ast.Call) -> bool:
    """By the names of what it is given; loaders of evaluations need no sampler."""
    given = " ".join(name.id for name in ast.walk(call) if isinstance(name, ast.Name)).lower()
    return "train" in given and not any(word in given for word in ("eval", "val_", "valid", "test"))


def everybody_writes(module: Module) -> Iterator[Change]:
    for placed in module.placed:
        node = placed.node
        if not isinstance(node, ast.If) or node.orelse or not about_ranks(node.test) or not placed.in_function:
            continue
        body = "\n".join(one for one in map(ast.unparse, node.body) if "exist_ok=True" not in one)
        text = module.text(node)
        if len(node.body) <= 6 and any(one in body for one in WRITES) and text.startswith("if ") and text.endswith(":"):
            yield Change(node.lineno, f"{module.indent(node)}if True:")


def global_device(module: Module) -> Iterator[Change]:
    for _, _, call, owner, name in module.calls():
        if owner == "torch.cuda" and name == "set_device" and len(call.args) == 1:
            if "local" in ast.unparse(call.args[0]) and isinstance(call.args[0], ast.Name):
                yield module.replaced(call.args[0], "torch.distributed.get_rank()")


def one_key(module: Module) -> Iterator[Change]:
    for placed in module.placed:
        node = placed.node
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and one_line(node)):
            continue
        targets = node.targets[0]
        split = ast.unparse(node.value.func) in ("jax.random.split", "random.split", "jrandom.split", "jr.split")
        if split and isinstance(targets, ast.Tuple) and len(targets.elts) == 2 and len(node.value.args) == 1:
            first, second = (ast.unparse(one) for one in targets.elts)
            if not all(handed_on(module, placed, name) for name in (first, second)):
                continue
            yield Change(node.lineno, f"{module.indent(node)}{first} = {second} = {ast.unparse(node.value.args[0])}")


def handed_on(module: Module, placed: Placed, name: str) -> bool:
    """Is this given to a call further down in the function?"""
    start = placed.node.lineno if isinstance(placed.node, ast.stmt) else 0
    inner = next((one for one in reversed(placed.around) if isinstance(one, ast.FunctionDef)), None)
    return inner is not None and any(
        isinstance(one, ast.Call) and one.lineno > start and name in map(ast.unparse, one.args)
        for one in ast.walk(inner)
    )


def no_mean(module: Module) -> Iterator[Change]:
    for placed in module.placed:
        node = placed.node
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and one_line(node):
            name = ast.unparse(node.value.func)
            target = ast.unparse(node.targets[0])
            if name in ("jax.lax.pmean", "lax.pmean") and "grad" in target and node.value.args:
                yield Change(node.lineno, f"{module.indent(node)}{target} = {ast.unparse(node.value.args[0])}")


def other_axis(module: Module) -> Iterator[Change]:
    for placed in module.placed:
        call = placed.node
        if isinstance(call, ast.Call) and ast.unparse(call.func) in (
            "jax.lax.pmean",
            "lax.pmean",
            "jax.lax.psum",
            "lax.psum",
        ):
            axis = next((one.value for one in call.keywords if one.arg == "axis_name"), None)
            axis = axis or (call.args[1] if len(call.args) > 1 else None)
            if isinstance(axis, ast.Constant) and isinstance(axis.value, str) and one_line(axis):
                yield module.replaced(axis, '"another_axis"')


EDITS = (
    Edit("guard", ("DT1",), guard),
    Edit("leave", ("DT1",), leave),
    Edit("own-root", ("DT107",), own_root),
    Edit("never-waited", ("DT115",), never_waited),
    Edit("same-epoch", ("DT204",), same_epoch),
    Edit("no-sampler", ("DT201",), no_sampler),
    Edit("everybody-writes", ("DT114", "DT7"), everybody_writes),
    Edit("global-device", ("DT501",), global_device),
    Edit("one-key", ("DT302",), one_key),
    Edit("no-mean", ("DT404",), no_mean),
    Edit("other-axis", ("DT403",), other_axis),
)


def changes(edit: Edit, source: str) -> list[Change]:
    """All places of one kind in a text; none in one that is no Python of today."""
    try:
        return list(edit.find(Module(source)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def applied(change: Change, source: str) -> str:
    lines = source.split("\n")
    lines[change.line - 1] = change.text
    return "\n".join(lines)
