import contextlib
import json
import time

import jax
import jax.numpy as jnp


class NullWriter:
    def write(self, **row):
        pass


class JsonlWriter:
    def __init__(self, stream):
        self.stream, self.begun = stream, time.monotonic()

    def write(self, **row):
        self.stream.write(json.dumps({"t": round(time.monotonic() - self.begun, 1), **row}) + "\n")
        self.stream.flush()


@contextlib.contextmanager
def metric_writer(path):
    if jax.process_index() == 0:
        with open(path, "w") as stream:
            yield JsonlWriter(stream)
    else:
        yield NullWriter()
