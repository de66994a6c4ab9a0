"""Where in the source is what a traced run needs to know: the script, the try body, the loop, the deciding `if`?

Reads with `ast`, tolerates files that do not parse, never imports anything.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

STARTS = re.compile(r"^if\s+__name__\s*==|^\s*(?:\w+\.)*(?:init_process_group|launch|spawn|main)\(", re.MULTILINE)
IMPORTED = re.compile(r"^\s*(?:from\s+([.\w]+)\s+import\s+([\w, ()]+)|import\s+([\w., ]+))", re.MULTILINE)
SKIPPED = {".git", ".venv", "venv", "node_modules", "site-packages", "__pycache__", "build", "dist"}
FILE_LIMIT = 3000
DEPTH = 4


@functools.lru_cache(maxsize=256)
def tree_of(path: str) -> ast.Module | None:
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@functools.lru_cache(maxsize=1024)
def text_of(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def line_of(path: str, number: int) -> str:
    lines = text_of(path).splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""


def is_script(path: str) -> bool:
    """A file that does something when it is run: a `__main__` guard or a call at module level."""
    text = text_of(path)
    if "__name__" in text and re.search(r"^if\s+__name__\s*==", text, re.MULTILINE):
        return True
    tree = tree_of(path)
    if tree is None or "init_process_group" not in text:
        return False
    return any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in tree.body)


def python_files(root: str) -> list[str]:
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
        if len(found) > FILE_LIMIT:
            break
    return found[:FILE_LIMIT]


def _imports(path: str) -> set[str]:
    """Last parts of everything a file imports: enough to find who may import a module by its name."""
    names: set[str] = set()
    for match in IMPORTED.finditer(text_of(path)):
        if match.group(1) is not None:
            names.add(match.group(1).rpartition(".")[2])
            names.update(part.strip("() ").split(" ")[0] for part in match.group(2).split(","))
        else:
            names.update(part.strip().split(" ")[0].rpartition(".")[2] for part in match.group(3).split(","))
            names.update(part.strip().split(".")[0] for part in match.group(3).split(","))
    return names


def _module_name(path: str) -> str:
    stem = os.path.basename(path).removesuffix(".py")
    return os.path.basename(os.path.dirname(path)) if stem == "__init__" else stem


def scripts_for(path: str, root: str) -> list[str]:
    """Scripts whose run may reach this file: itself, or those that import it, nearest first."""
    if is_script(path):
        return [path]
    files = python_files(root)
    imports = {file: _imports(file) for file in files}
    level, seen, found = [path], {path}, []
    for _ in range(DEPTH):
        names = {_module_name(file) for file in level}
        level = [file for file in files if file not in seen and _may_import(file, imports[file] & names, seen)]
        seen.update(level)
        near = [file for file in level if is_script(file)]
        found += sorted(near, key=lambda file: (_distance(file, path), file))
    return found


def _may_import(file: str, names: set[str], wanted: set[str]) -> bool:
    """A module beside the importing file goes before one of that name elsewhere."""
    beside = (os.path.join(os.path.dirname(file), f"{name}.py") for name in names)
    return any(path in wanted or not os.path.isfile(path) for path in beside)


def _distance(first: str, second: str) -> int:
    common = os.path.commonpath([os.path.dirname(first), os.path.dirname(second)])
    return len(os.path.relpath(first, common).split(os.sep)) + len(os.path.relpath(second, common).split(os.sep))


@dataclass(frozen=True)
class Failure:
    """Where to make a rank fail, and how."""

    line: int
    exception: str
    handler: int  # first line of what runs then
    message: str = ""  # what the handler looks for in the exception's text
    last: int = 0  # last line of the body that fails
    halfway: bool = False  # after the body's first call that communicates, not before


def _within(node: ast.stmt | ast.ExceptHandler, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def failure_for(path: str, line: int) -> Failure | None:
    """The failure that leads to this handler, `finally` or `suppress`: at the first line of the body."""
    tree = tree_of(path)
    if tree is None:
        return None
    best: Failure | None = None
    for node in ast.walk(tree):  # outer statements come before inner ones: the last match is the innermost
        if isinstance(node, ast.Try):
            first, last = node.body[0].lineno, node.body[-1].end_lineno or 0
            for handler in node.handlers:
                if _within(handler, line):
                    kind = ast.unparse(handler.type) if handler.type else ""
                    best = Failure(first, kind, handler.body[0].lineno, _looked_for(handler, line), last)
            if any(_within(item, line) for item in node.finalbody):
                best = Failure(first, "", node.finalbody[0].lineno, "", last)
        elif isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno == line:
            for item in node.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("suppress") and call.args:
                    end = node.body[-1].end_lineno or 0
                    best = Failure(node.body[0].lineno, ast.unparse(call.args[0]), 0, "", end)
            best = best or Failure(node.body[-1].lineno, "", 0)
    return best


def _looked_for(handler: ast.ExceptHandler, line: int) -> str:
    """The text in `if "text" in str(error):` around this line."""
    for node in ast.walk(handler):
        if isinstance(node, ast.If) and any(_within(item, line) for item in node.body):
            for test in ast.walk(node.test):
                if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In):
                    if isinstance(test.left, ast.Constant) and isinstance(test.left.value, str):
                        return test.left.value
    return ""


def signal_of(path: str, line: int) -> str:
    """The signal whose handler, set in this file, this line is in."""
    tree = tree_of(path)
    if tree is None:
        return ""
    around = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _within(node, line)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("signal.signal", "signal") and len(node.args) == 2:
            if ast.unparse(node.args[1]).rpartition(".")[2] in around:
                return ast.unparse(node.args[0]).rpartition(".")[2]
    return ""


def exit_method_class(path: str, line: int) -> str:
    """The class whose `__exit__` this line is in."""
    tree = tree_of(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and _within(item, line):
                    return node.name if item.name in ("__exit__", "__aexit__") else ""
    return ""


def body_of_with(name: str, files: list[str]) -> tuple[str, int] | None:
    """The first statement under `with Name(…)`, wherever it is."""
    for path in files:
        for node in statements(path):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    call = item.context_expr
                    called = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
                    if called.rpartition(".")[2] == name:
                        return path, node.body[0].lineno
    return None


def statements(path: str) -> Iterator[ast.stmt]:
    tree = tree_of(path)
    if tree is not None:
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def span_of(path: str, line: int) -> tuple[int, int]:
    """The lines of the statement that begins here; a compound one with its body."""
    spans = [(node.lineno, node.end_lineno or node.lineno) for node in statements(path) if node.lineno == line]
    return max(spans, key=lambda span: span[1], default=(line, line))


def leaves(path: str, line: int) -> bool:
    """Whether the statement here ends something: return, break, continue, raise, exit."""
    for node in statements(path):
        if node.lineno == line:
            if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                return True
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                return ast.unparse(node.value.func).rpartition(".")[2] in ("exit", "_exit", "abort", "quit")
    return False


@dataclass(frozen=True)
class Guard:
    """An `if` around a line, by the first lines of its two sides."""

    line: int
    taken: int
    other: int  # 0: there is no else


def guards_of(path: str, line: int) -> list[Guard]:
    found = []
    for node in statements(path):
        if isinstance(node, ast.If) and node.lineno < line <= (node.end_lineno or node.lineno):
            found.append(Guard(node.lineno, node.body[0].lineno, node.orelse[0].lineno if node.orelse else 0))
    return found


def decides(path: str, line: int) -> bool:
    """Whether an `if` or `while` begins here."""
    return any(isinstance(node, (ast.If, ast.While)) and node.lineno == line for node in statements(path))


def to_leave_out(path: str, line: int) -> int:
    """Where a run can pass by this line: the decision or call that begins here, or the `if` around it. 0: nowhere."""
    if any(node.lineno == line and isinstance(node, (ast.If, ast.While, ast.Expr)) for node in statements(path)):
        return line
    guards = guards_of(path, line)
    return guards[-1].line if guards else 0
