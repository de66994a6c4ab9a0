import socket
import time
from collections import deque
from statistics import median

import torch.distributed as dist


class StepWatch:
    """Who is slow? Compares the ranks' step times when something looks odd."""

    def __init__(self, window=50, factor=3.0):
        self.times = deque(maxlen=window)
        self.factor = factor
        self.mark = None

    def lap(self):
        now = time.perf_counter()
        if self.mark is not None:
            self.times.append(now - self.mark)
        self.mark = now

    def looks_slow(self):
        if len(self.times) < 10:
            return False
        return self.times[-1] > self.factor * median(self.times)

    def report(self):
        mine = (socket.gethostname(), self.times[-1])
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, mine)
        return max(everyone, key=lambda entry: entry[1])
