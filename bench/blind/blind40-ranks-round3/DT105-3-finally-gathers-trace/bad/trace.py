import time

import torch.distributed as dist


class StepTimes:
    def __init__(self):
        self.times = []

    def __enter__(self):
        self.begun = time.perf_counter()
        return self

    def lap(self):
        now = time.perf_counter()
        self.times.append(now - self.begun)
        self.begun = now

    def __exit__(self, kind, value, traceback):
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, self.times)
        if dist.get_rank() == 0:
            print("slowest step", max(max(t, default=0.0) for t in everyone))
        return False
