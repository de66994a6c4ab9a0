"""Does every line of a notebook keep its place?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from dtlint.ir.lowering import lower
from dtlint.source.notebooks import Notebook, read_notebook
from dtlint.source.text import Incomplete


def cell(source: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {}, **more}


def notebook(*cells: dict[str, Any], indent: int | None = 1, **more: Any) -> tuple[str, Notebook]:
    raw = json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, **more}, indent=indent)
    result = read_notebook(raw, "n.ipynb")
    assert isinstance(result, Notebook), result
    lower(result.text, "n.ipynb")
    return raw, result


def test_cells_are_joined_and_numbered_as_in_the_notebook() -> None:
    raw, book = notebook(
        cell("# title", "markdown"), cell(["a = 1\n", "b = 'é'"], id="one"), cell([]), cell("c = 3\nd = 4\n", id="two")
    )
    assert book.text == "a = 1\nb = 'é'\n\nc = 3\nd = 4\n\n"
    places = [(line, book.cell_of(line)) for line in (1, 2, 4, 5)]
    assert [(line, found[0].number, found[0].identity, found[1]) for line, found in places if found] == [
        (1, 2, "one", 1),
        (2, 2, "one", 2),
        (4, 4, "two", 1),
        (5, 4, "two", 2),
    ]
    lines = raw.split("\n")
    assert "a = 1" in lines[book.physical_line(1) - 1]
    assert "b = " in lines[book.physical_line(2) - 1]
    assert "c = 3" in lines[book.physical_line(4) - 1]
    assert book.physical_line(5) == book.physical_line(4)  # a source that is one string stands on one line


def test_equal_cells_have_different_physical_lines() -> None:
    _, book = notebook(cell(["x = 1"]), cell("x = 1", "markdown"), cell(["x = 1"]))
    assert book.physical_line(1) < book.physical_line(2) - 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("%pip install x\na = 1", "pass\na = 1"),
        ("!ls -l\na = 1", "pass\na = 1"),
        ("if x:\n    !ls\n    %cd y", "if x:\n    pass\n    pass"),
        ("files = !ls\nb = %timeit f()", "files = None\nb = None"),
        ("x?\n?y\nz??", "pass\npass\npass"),
        ("!a \\\n  b \\\n  c\nd = 1", "pass\n\n\nd = 1"),
        ("%%bash\necho x\n", "\n\n"),
        ("%%time\na = 1", "\na = 1"),
        ("\n%%capture out\na = 1", "\n\na = 1"),
        ("s = '''\n%not a magic\n!nor this\n'''\n%magic", "s = '''\n%not a magic\n!nor this\n'''\npass"),
        ("a = b % c\nd = x if y != z else 1", "a = b % c\nd = x if y != z else 1"),
    ],
)
def test_magics_are_blanked_line_for_line(source: str, text: str) -> None:
    assert notebook(cell(source))[1].text == text + "\n"


def test_other_languages_are_left_out() -> None:
    assert notebook(cell("x <- 1"), metadata={"kernelspec": {"language": "R"}})[1].text == ""
    assert notebook(cell("x <- 1", metadata={"vscode": {"languageId": "r"}}), cell("a"))[1].text == "a\n"


@pytest.mark.parametrize(
    ("raw", "line", "words"),
    [
        ("{\n 'x': 1}", 2, "not a valid notebook"),
        ("[]", 1, "no list of cells"),
        ("{}", 1, "no list of cells"),
        ('{"cells": [1]}', 1, "cell 1 is not an object"),
        ('{"cells": [{"cell_type": "code", "source": 7}]}', 1, "source of cell 1 is not text"),
        ("[" * 100_000, 1, "not a valid notebook"),
        ("", 1, "not a valid notebook"),
    ],
)
def test_broken_notebooks(raw: str, line: int, words: str) -> None:
    result = read_notebook(raw, "n.ipynb")
    assert isinstance(result, Incomplete)
    assert result.line == line
    assert words in result.reason
