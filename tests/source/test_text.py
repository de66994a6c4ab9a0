"""Does every kind of file give its text or a clear reason?"""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from dtlint.source.text import SIZE_LIMIT, Incomplete, SourceFile, SourceText, decode, read


def text_of(data: bytes) -> SourceText:
    result = decode(data, "x.py")
    assert isinstance(result, SourceText), result
    return result


def problem_of(data: bytes) -> Incomplete:
    result = decode(data, "x.py")
    assert isinstance(result, Incomplete)
    return result


def test_line_ends() -> None:
    for newline in ("\n", "\r\n", "\r"):
        result = text_of(newline.join(("a", "b", "")).encode())
        assert (result.text, result.newline) == ("a\nb\n", newline)


def test_byte_order_mark() -> None:
    result = text_of(codecs.BOM_UTF8 + b"x = 1\n")
    assert (result.text, result.has_bom) == ("x = 1\n", True)


@pytest.mark.parametrize(
    "comment", ["# -*- coding: latin-1 -*-", "#!/usr/bin/python\n# vim: set fileencoding=iso-8859-1 :"]
)
def test_pep_263(comment: str) -> None:
    assert text_of(f"{comment}\nx = 'é'\n".encode("latin-1")).text.endswith("x = 'é'\n")


def test_a_coding_comment_on_the_third_line_does_not_count() -> None:
    assert problem_of("\n\n# coding: latin-1\n'é'\n".encode("latin-1")).line == 4


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"x = 1\n'\xff'\n", 2, "not valid utf-8"),
        (b"x\n\0\n", 2, "NUL"),
        (b"# coding: klingon\n", 1, "unknown encoding, `klingon`"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", 1, "names another encoding"),
        ("x = 1\n".encode("utf-16"), 1, "UTF-16"),
        ("x = 1\n".encode("utf-32"), 1, "UTF-32"),
        (b"#" * (SIZE_LIMIT + 1), 1, "larger than 5 MB"),
    ],
)
def test_problems(data: bytes, line: int, words: str) -> None:
    problem = problem_of(data)
    assert problem.line == line
    assert words in problem.reason


def test_a_missing_file_a_directory_and_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    for name, words in (("no.py", "cannot be read"), (".", "directory"), ("pipe.py", "not a regular file")):
        result = read(SourceFile(name, tmp_path / name))
        assert isinstance(result, Incomplete)
        assert words in result.reason


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("")
    (tmp_path / "x.py").chmod(0)
    result = read(SourceFile("x.py", tmp_path / "x.py"))
    assert isinstance(result, Incomplete)
    assert "Permission denied" in result.reason


def test_a_file_that_refuses_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "x.py").write_text("")
    monkeypatch.setattr(os, "open", refuse)
    assert read(SourceFile("x.py", tmp_path / "x.py")) == Incomplete("x.py", 1, "cannot be read (Permission denied)")


def test_given_data_needs_no_file(tmp_path: Path) -> None:
    assert read(SourceFile("x.py", tmp_path / "no.py", b"x")) == SourceText("x")
