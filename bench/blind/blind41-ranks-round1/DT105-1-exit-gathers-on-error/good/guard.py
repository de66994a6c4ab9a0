import traceback

import torch.distributed as dist


class StepScope:
    """Collects what went wrong in the body."""

    def __init__(self, step):
        self.step = step

    def __enter__(self):
        return self

    def __exit__(self, kind, error, tb):
        if kind is not None:
            report = "".join(traceback.format_exception(kind, error, tb))
            print(f"step {self.step} failed", report)
        return False
