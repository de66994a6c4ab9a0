"""What does a source file say? Bytes in, text out; whatever stands in the way is a value, not an exception."""

from __future__ import annotations

import codecs
import io
import os
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

SIZE_LIMIT = 5 * 1024 * 1024  # no human writes more into one file

_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Incomplete:
    """A file, or a part of one, that was not analysed, and why."""

    path: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """`text` has `\\n` line ends, whatever the file has; `newline` is the file's own. Places are the same in both."""

    text: str
    encoding: str = "utf-8"
    newline: str = "\n"
    has_bom: bool = False


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`path` is what reports show (posix); `location` is the file itself, `data` its content when not on disk."""

    path: str
    location: Path
    data: bytes | None = None

    @property
    def is_notebook(self) -> bool:
        return self.path.endswith(".ipynb")


def read_bytes(file: SourceFile) -> bytes | Incomplete:
    """The content; a pipe, a socket or a device is refused rather than waited for."""
    if file.data is not None:
        return file.data
    try:
        descriptor = os.open(file.location, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not os.path.isfile(file.location):
                return Incomplete(file.path, 1, "not a regular file")
            if status.st_size > SIZE_LIMIT:
                return Incomplete(file.path, 1, _too_large(status.st_size))
            return stream.read()
    except IsADirectoryError:
        return Incomplete(file.path, 1, "is a directory")
    except OSError as error:
        return Incomplete(file.path, 1, f"cannot be read ({error.strerror or error})")


def _too_large(size: int) -> str:
    megabyte = 1024 * 1024
    return f"larger than {SIZE_LIMIT // megabyte} MB ({size / megabyte:.1f} MB), most likely generated; exclude it"


def decode(data: bytes, path: str) -> SourceText | Incomplete:
    """Python's own rules: a byte order mark, else the coding comment of PEP 263, else UTF-8."""
    if len(data) > SIZE_LIMIT:
        return Incomplete(path, 1, _too_large(len(data)))
    for mark, name in (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    ):
        if data.startswith(mark):
            return Incomplete(path, 1, f"is {name}, not UTF-8; save it as UTF-8")
    if b"\0" in data:
        return Incomplete(path, data.count(b"\n", 0, data.index(b"\0")) + 1, "contains NUL bytes")
    encoding = "utf-8"
    has_bom = data.startswith(codecs.BOM_UTF8)
    if b"coding" in b"\n".join(data[:1000].splitlines()[:2]) or has_bom:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except (SyntaxError, UnicodeDecodeError) as error:
            return Incomplete(path, _coding_line(data), _coding_problem(data, error))
    body = data[len(codecs.BOM_UTF8) :] if has_bom else data
    try:
        text = body.decode("utf-8" if encoding == "utf-8-sig" else encoding)
    except (UnicodeDecodeError, LookupError) as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = body.count(b"\n", 0, start) + 1
        return Incomplete(
            path, line, f"is not valid {encoding.removesuffix('-sig')}; save it as UTF-8 or name its encoding (PEP 263)"
        )
    newline = "\n"
    if "\r" in text:
        newline = "\r\n" if "\r\n" in text else "\r"
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return SourceText(text, encoding, newline, has_bom)


def _coding_line(data: bytes) -> int:
    found = _CODING.search(data)
    return data.count(b"\n", 0, found.start()) + 1 if found else 1


def _coding_problem(data: bytes, error: Exception) -> str:
    found = _CODING.search(data)
    if found and "unknown encoding" in str(error):
        return f"names an unknown encoding, `{found.group(1).decode('ascii', 'replace')}`"
    if "BOM" in str(error) or "encoding problem" in str(error):
        return "has a UTF-8 byte order mark, but names another encoding"
    return "is not valid utf-8; save it as UTF-8 or name its encoding (PEP 263)"


def read(file: SourceFile) -> SourceText | Incomplete:
    data = read_bytes(file)
    return data if isinstance(data, Incomplete) else decode(data, file.path)
