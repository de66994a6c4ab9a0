import contextlib
import time
from pathlib import Path


def read_with_patience(path, tries=4):
    for attempt in range(tries):
        try:
            return Path(path).read_bytes()
        except OSError:
            if attempt + 1 == tries:
                raise
            time.sleep(0.1 * 2**attempt)


def remove_quietly(paths):
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            Path(path).unlink()
