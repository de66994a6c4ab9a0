"""How far has a long check come? A line on stderr, on a terminal only, and only when it takes a while."""

from __future__ import annotations

import time
from types import TracebackType
from typing import IO

from dtlint.report.terminal import is_terminal, width

QUIET_SECONDS = 0.7
BETWEEN = 0.1
BAR = 24


class Progress:
    def __init__(self, stream: IO[str], wanted: bool = True) -> None:
        self._stream = stream
        self._active = wanted and is_terminal(stream)
        self._next = time.monotonic() + QUIET_SECONDS
        self._drawn = False

    def step(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if not self._active or now < self._next:
            return
        self._next = now + BETWEEN
        full = BAR * done // total if total else 0
        line = f"{what} [{'#' * full}{'.' * (BAR - full)}] {done}/{total}"
        self._stream.write("\r" + line[: width(self._stream) - 1] + "\x1b[K")
        self._stream.flush()
        self._drawn = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
