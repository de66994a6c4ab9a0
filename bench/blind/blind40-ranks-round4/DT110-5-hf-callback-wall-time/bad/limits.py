import time

import torch
import torch.distributed as dist
from transformers import TrainerCallback


class WallTime(TrainerCallback):
    """Stop some minutes before the queue would kill the job."""

    def __init__(self, hours, margin_minutes=10):
        self.limit = hours * 3600 - margin_minutes * 60
        self.begun = None

    def on_train_begin(self, args, state, control, **kwargs):
        self.begun = time.time()

    def on_step_end(self, args, state, control, **kwargs):
        if time.time() - self.begun > self.limit:
            control.should_save = True
            control.should_training_stop = True
        return control
