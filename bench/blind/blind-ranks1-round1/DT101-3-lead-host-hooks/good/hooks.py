import json
import time

import jax
import numpy as np
from jax.experimental import multihost_utils


class Hook:
    every = 1

    def __call__(self, step, state, metrics):
        if step % self.every == 0:
            self.run(step, state, metrics)

    def run(self, step, state, metrics):
        raise NotImplementedError


class Heartbeat(Hook):
    every = 5

    def __init__(self):
        self.started = time.time()

    def run(self, step, state, metrics):
        print(f"host {jax.process_index()} step {step} after {time.time() - self.started:.1f}s")


class Report(Hook):
    """Mean of the hosts' own metrics, one JSON line per report."""

    every = 2

    def __init__(self, path):
        self.path = path

    def run(self, step, state, metrics):
        gathered = multihost_utils.process_allgather({k: np.asarray(v) for k, v in metrics.items()})
        row = {k: float(np.mean(v)) for k, v in gathered.items()}
        if jax.process_index() == 0:
            with open(self.path, "a") as f:
                f.write(json.dumps({"step": step, **row}) + "\n")
