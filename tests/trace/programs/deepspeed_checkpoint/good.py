import argparse
import json

import deepspeed
import torch
import torch.nn as nn
from torch.utils.data import Dataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 1},
}


class Lengths(Dataset):
    def __init__(self, path):
        with open(path) as file:
            self.rows = [json.loads(line) for line in file]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        length = float(len(self.rows[index]["text"]))
        return torch.full((8,), length), torch.tensor([length])


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.parse_args()
    model = nn.Linear(8, 1)
    data = Lengths("/data/corpus/train.jsonl")
    engine, _, loader, _ = deepspeed.initialize(model=model, training_data=data, config=CONFIG)
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(engine(inputs.to(engine.device)), targets.to(engine.device))
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint("/checkpoints/lengths", tag="last")


if __name__ == "__main__":
    main()
