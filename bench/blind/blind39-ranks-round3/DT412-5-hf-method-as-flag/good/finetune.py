import json
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import HfArgumentParser, Trainer, TrainingArguments


class Series(Dataset):
    def __init__(self, n, seed):
        self.values = torch.randn(n, 30, generator=torch.Generator().manual_seed(seed)).cumsum(1)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return {"past": self.values[i, :24], "labels": self.values[i, 24:]}


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 6))

    def forward(self, past, labels=None):
        guess = self.net(past)
        loss = nn.functional.l1_loss(guess, labels) if labels is not None else None
        return {"loss": loss, "guess": guess}


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    args.remove_unused_columns = False
    trainer = Trainer(
        model=Forecaster(),
        args=args,
        train_dataset=Series(3000, seed=1),
        eval_dataset=Series(300, seed=2),
    )
    trainer.train()
    metrics = trainer.evaluate()
    trainer.save_model()
    if trainer.is_world_process_zero():
        report = {"loss": metrics["eval_loss"], "steps": trainer.state.global_step}
        Path(args.output_dir, "report.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
