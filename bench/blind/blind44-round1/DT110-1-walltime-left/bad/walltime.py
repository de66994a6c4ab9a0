import os
import time


class Allocation:
    def __init__(self, margin=300.0):
        end = os.environ.get("SLURM_JOB_END_TIME")
        self.end = float(end) if end else None
        self.margin = margin

    def ends_soon(self):
        return self.end is not None and time.time() > self.end - self.margin
