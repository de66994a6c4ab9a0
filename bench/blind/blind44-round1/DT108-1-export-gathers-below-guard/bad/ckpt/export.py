import os

import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

FULL = StateDictOptions(full_state_dict=True, cpu_offload=True)


def weights_of(model, dtype=torch.bfloat16):
    full = get_model_state_dict(model, options=FULL)
    return {name: t.to(dtype) for name, t in full.items()}


class Exporter:
    def __init__(self, out_dir):
        self.out_dir = out_dir

    def path(self, step):
        return os.path.join(self.out_dir, f"step_{step:07d}.pt")

    def write(self, weights, step):
        os.makedirs(self.out_dir, exist_ok=True)
        torch.save(weights, self.path(step))

    def export(self, model, step):
        self.write(weights_of(model), step)
