"""`ast` says of a file's functions what the lowered tree says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint.ir.lowering import lower
from dtlint.ir.outline import functions_in
from dtlint.ir.positions import parse_ast
from dtlint.project.cache import summaries

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = '''
import a.b as c, d.e
from .f.g import h as i, j
from k import *

TABLE = OTHER = {"l": m.n, **o, p: lambda q: r[s]}

if t:
    @u(v, w=x)
    async def y(z: aa = bb, *cc: dd, ee="ff", gg="no name", **hh) -> "ii":
        """word"""
        global jj
        from ..kk.ll import mm as nn
        try:
            return f"text {oo.pp:>{qq}} tail" "rr", "ss" "tt", b"uu", True, None
        except (vv, ww) as xx:
            del yy[zz]
        match ab:
            case ac(ad, ae=af) | {"ag": ah, **ai} if aj:
                pass
            case [ak, *al] as am:
                pass
            case _:
                pass
else:
    class An(ao.ap, aq=ar):
        as_ = 1

        def at(self):
            def au(): nonlocal_ = [av for aw in ax if ay]
            return au

        class Az:
            def ba(self): return (bb := 1)
try:
    def bc(): raise bd from be
except bf:
    def bg(): yield bh
finally:
    def bi(): pass
with bj:
    def bk(): pass
'''


def same(text: str) -> bool:
    return functions_in(parse_ast(text)) == summaries(lower(text, "file.py"))


def test_every_kind_of_word() -> None:
    assert same(TEXT)
    names = [name for name, _, _ in functions_in(parse_ast(TEXT))]
    assert names == ["y", "at", "ba", "bc", "bg", "TABLE", "OTHER", "i"]


@pytest.mark.parametrize("path", sorted((ROOT / "dtlint" / "machine").glob("*.py"))[::4], ids=lambda path: path.stem)
def test_real_files(path: Path) -> None:
    assert same(path.read_text(encoding="utf-8"))
