"""A clock that a busy machine does not disturb: the script's own computing and sleeping is what makes time pass.

Programs that decide by the clock would decide otherwise from run to run. Only the standard library.
"""

from __future__ import annotations

import functools
import sys
import time
from typing import Any

from dtlint.trace.frames import is_user_file

CLOCKS = ("time", "monotonic", "perf_counter")


def install() -> None:
    """For the script and its modules; libraries keep the real one."""
    begin, slept, sleep = time.process_time(), [0.0], time.sleep

    def steady(original: Any, start: float) -> Any:
        @functools.wraps(original)
        def clock() -> float:
            if is_user_file(sys._getframe(1).f_code.co_filename):
                return start + time.process_time() - begin + slept[0]
            return float(original())

        return clock

    def sleeping(seconds: float) -> None:
        slept[0] += seconds
        sleep(seconds)

    for name in CLOCKS:
        original = getattr(time, name)
        setattr(time, name, steady(original, original()))
    time.sleep = sleeping  # type: ignore[assignment]
