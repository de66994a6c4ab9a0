"""What would a pattern say? "A collective inside an `if` that mentions the rank", the rule dtlint has to beat."""

from __future__ import annotations

import ast
from collections.abc import Iterator

RANK_WORDS = ("rank", "process_index", "is_main", "is_last")
COLLECTIVES = frozenset(
    {
        *("barrier", "all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "reduce_scatter"),
        *("wait_for_everyone", "gather_object", "sync_global_devices", "process_allgather", "broadcast_one_to_all"),
    }
)


def pattern_findings(text: str) -> tuple[int, ...]:
    """Lines of collectives that lie below a branch on something called rank."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.If) and mentions_rank(node.test):
            for statement in (*node.body, *node.orelse):
                found.update(collectives(statement))
    return tuple(sorted(found))


def mentions_rank(test: ast.expr) -> bool:
    words = ast.unparse(test).lower()
    return any(word in words for word in RANK_WORDS)


def collectives(statement: ast.stmt) -> Iterator[int]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in COLLECTIVES:
                yield node.lineno
