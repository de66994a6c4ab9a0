import json
import time
from typing import Callable

import jax
from etils import epath

Writer = Callable[[int, dict], None]


def jsonl(path: epath.Path) -> Writer:
    def write(step, values):
        row = {"step": step, "time": time.time(), **values}
        with path.open("a") as out:
            out.write(json.dumps(row) + "\n")

    return write


def on_first(writer: Writer) -> Writer:
    return writer if jax.process_index() == 0 else (lambda step, values: None)
