import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments


class Pairs(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 2, 12, generator=g)
        self.y = (self.x[:, 0] * self.x[:, 1]).sum(1).gt(0).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"pair": self.x[i], "labels": self.y[i]}


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, pair, labels=None):
        logits = self.net(pair)
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


class HardestPairs(TrainerCallback):
    """After each epoch: which pairs of a fixed set does the model get most wrong?"""

    def __init__(self, dataset, path):
        self.dataset, self.path = dataset, path
        self.trainer = None

    def on_epoch_end(self, args, state, control, **kwargs):
        output = self.trainer.predict(self.dataset)
        if not state.is_world_process_zero:
            return
        margins = output.predictions[np.arange(len(output.label_ids)), output.label_ids] - output.predictions.max(1)
        np.save(f"{self.path}_{int(state.epoch)}.npy", np.argsort(margins)[:20])


def main():
    args = TrainingArguments(
        output_dir="matcher",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=1e-3,
        report_to=[],
        save_strategy="no",
        remove_unused_columns=False,
        ddp_find_unused_parameters=False,
        seed=11,
    )
    callback = HardestPairs(Pairs(200, seed=2), "hardest")
    trainer = Trainer(model=Matcher(), args=args, train_dataset=Pairs(2000, seed=1), callbacks=[callback])
    callback.trainer = trainer
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
