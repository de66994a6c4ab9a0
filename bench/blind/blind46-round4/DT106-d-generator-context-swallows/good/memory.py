import contextlib
import gc

import torch


class Skips:
    def __init__(self, limit):
        self.limit, self.count = limit, 0

    @contextlib.contextmanager
    def on_oom(self):
        try:
            yield self
        except torch.cuda.OutOfMemoryError:
            self.count += 1
            gc.collect()
            torch.cuda.empty_cache()
            raise
