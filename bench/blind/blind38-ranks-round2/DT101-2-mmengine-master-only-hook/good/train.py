import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from mmengine.evaluator import BaseMetric
from mmengine.model import BaseModel
from mmengine.runner import Runner
from mmengine.structures import BaseDataElement
from torch.utils.data import Dataset

from hooks import ClassCountHook


class Points(Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 8, generator=gen)
        self.y = self.x[:, :4].argmax(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Net(BaseModel):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x, y, mode="loss"):
        logits = self.net(x)
        if mode == "loss":
            return {"loss": F.cross_entropy(logits, y)}
        return [BaseDataElement(pred_label=p, gt_label=t) for p, t in zip(logits.argmax(1), y)]


class Accuracy(BaseMetric):
    def process(self, data_batch, data_samples):
        self.results.extend({"right": bool(s["pred_label"] == s["gt_label"])} for s in data_samples)

    def compute_metrics(self, results):
        return {"accuracy": sum(r["right"] for r in results) / len(results)}


def loader(n, seed, shuffle):
    sampler = {"type": "DefaultSampler", "shuffle": shuffle}
    return {"dataset": Points(n, seed), "batch_size": 32, "num_workers": 2, "sampler": sampler}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", default="pytorch", choices=["none", "pytorch", "slurm"])
    args = parser.parse_args()
    runner = Runner(
        model=Net(),
        work_dir="work_dirs/points",
        train_dataloader=loader(4096, 1, True),
        train_cfg={"by_epoch": True, "max_epochs": 5, "val_interval": 1},
        optim_wrapper={"optimizer": {"type": "AdamW", "lr": 1e-3}},
        val_dataloader=loader(512, 2, False),
        val_cfg={},
        val_evaluator=Accuracy(),
        custom_hooks=[ClassCountHook(num_classes=4)],
        launcher=args.launcher,
        randomness={"seed": 0},
    )
    runner.train()


if __name__ == "__main__":
    main()
