"""Which files have been lowered before? A folder of trees by the hash of the text they were made from."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from dtlint import __version__
from dtlint.ir import nodes, store
from dtlint.ir.functions import aliases_of, functions_of, tables_of
from dtlint.ir.lowering_state import SyntaxProblem
from dtlint.project.shelf import Shelf, digest_of

# a function, or a table of functions: its name, the words in it, the class it is in
Summary = tuple[str, frozenset[str], "str | None"]


class TreeCache(Shelf):
    """Stored trees, not yet decoded. A damaged one is none."""

    def __init__(self, directory: Path | None) -> None:
        super().__init__(directory and directory / "trees")
        # The grammar is the interpreter's and libcst's; the lowering is this version's.
        lowering = digest_of(Path(store.__file__).parent.glob("*.py"))
        basis = f"{store.VERSION} {__version__} {metadata.version('libcst')} {sys.version_info[:2]} {lowering}"
        self._basis = hashlib.sha256(basis.encode()).digest()

    def key(self, text: str) -> str:
        return hashlib.sha256(self._basis + text.encode("utf-8", "surrogatepass")).hexdigest()

    def outline_key(self, text: str) -> str:
        """Of a file that is not analysed no tree is made, but its functions in short."""
        return f"{self.key(text)}.outline"


def encode(outcome: nodes.Module | SyntaxProblem) -> bytes:
    if isinstance(outcome, SyntaxProblem):
        return b"!" + json.dumps([outcome.line, outcome.column, outcome.message]).encode("ascii")
    return encode_outline(summaries(outcome)) + store.dump(outcome)


def encode_outline(functions: Iterable[Summary]) -> bytes:
    names = [[name, sorted(tokens), owner] for name, tokens, owner in functions]
    return json.dumps(names, separators=(",", ":")).encode("ascii") + b"\n"


def decode(data: bytes, path: str) -> nodes.Module | SyntaxProblem | None:
    """None when the bytes are damaged."""
    try:
        if data.startswith(b"!"):
            line, column, message = json.loads(data[1:])
            return SyntaxProblem(int(line), int(column), str(message))
        module = store.load(data.partition(b"\n")[2])
    except (ValueError, TypeError):
        return None
    module.path = path
    return module


def summaries(module: nodes.Module) -> list[Summary]:
    functions = [
        (function.name, function.tokens, owner.name if owner else None) for function, owner in functions_of(module)
    ]
    others = (*tables_of(module), *aliases_of(module))
    return [*functions, *((name, words, None) for name, words in others)]


def decode_summaries(data: bytes) -> list[Summary] | None:
    """What `summaries` says of a stored tree, which is not decoded for it, or of an outline. None when the bytes are
    damaged."""
    try:
        listed = json.loads(data.partition(b"\n")[0])
        return [(str(name), frozenset(map(str, tokens)), owner) for name, tokens, owner in listed]
    except (ValueError, TypeError):
        return None
