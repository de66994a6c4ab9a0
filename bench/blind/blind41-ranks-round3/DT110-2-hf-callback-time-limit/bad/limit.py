import time

import torch
import torch.distributed as dist
from transformers import TrainerCallback


class TimeLimit(TrainerCallback):
    def __init__(self, hours):
        self.end = time.time() + 3600 * hours

    def on_step_end(self, args, state, control, **kwargs):
        if time.time() > self.end:
            control.should_save = True
            control.should_training_stop = True
        return control
