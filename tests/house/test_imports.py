"""Do imports go one way only, from the floor upward?"""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "dtlint"
RULES = PACKAGE.parent / "rules"

# A room may import from the rooms before it, and from itself. Rooms on one line do not know each other.
ORDER = (
    ("mistakes",),
    ("findings",),
    ("source", "config"),
    ("ir",),
    ("project",),
    ("launch",),
    ("knowledge",),
    ("machine",),
    ("timeline",),
    ("api",),
    ("rules",),
    ("registry", "documentation"),
    ("trace", "fix", "report"),
    ("cache", "outcome", "context", "baseline"),
    ("units_cache",),
    ("listing",),
    ("engine",),
    ("ready",),
    ("cli", "lsp"),
    ("__main__",),
)
LEVEL = {room: number for number, rooms in enumerate(ORDER) for room in rooms}
ALLOWED = {
    "libcst": ("source", "ir", "project", "fix"),
    "click": ("cli", "__main__"),
    "rich": ("cli", "report", "trace"),
    "torch": ("trace",),
    "jax": ("trace",),
}
# The traced run shows the same rank table as the check; report does not know trace.
EXCEPTIONS = {("trace", "report")}


def room_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_of_a_file(path):
    room = room_of(path)
    if room == "__init__":
        return
    assert room in LEVEL, f"{path}: a room this test has never heard of"
    for line, name in imports(path):
        top, *rest = name.split(".")
        where = f"{path}:{line}: {name}"
        if top in ALLOWED:
            assert room in ALLOWED[top], where
        if top != "dtlint" or not rest or rest[0] not in LEVEL:
            continue
        if rest[0] != room and (room, rest[0]) not in EXCEPTIONS:
            assert LEVEL[rest[0]] < LEVEL[room], where


@pytest.mark.parametrize("path", sorted(RULES.glob("dt*.py")), ids=lambda path: path.name)
def test_a_rule_imports_the_api_and_nothing_else_of_dtlint(path):
    for line, name in imports(path):
        assert not name.startswith("dtlint") or name.startswith("dtlint.api."), f"{path}:{line}: {name}"


def needed_first(path: Path, names: set[str]) -> set[str]:
    """What must be read before this file is: the imports at its top."""
    tops = (node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom))
    asked = [(node.module, f"{node.module}.{alias.name}") for node in tops for alias in node.names]
    return {inner if inner in names else outer for outer, inner in asked} & names


def test_every_module_can_be_the_first_that_is_imported():
    """No file waits for one that waits for it."""
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in FILES
    }
    TopologicalSorter({name: needed_first(path, set(names)) for name, path in names.items()}).prepare()


def test_the_test_sees_every_file():
    assert len(FILES) > 30


def test_no_command_file_is_forgotten():
    from dtlint.cli import commands

    for path in (PACKAGE / "cli").glob("[a-z]*.py"):
        name = path.stem.replace("_", "-")
        assert commands.get_command(None, name).name == name
