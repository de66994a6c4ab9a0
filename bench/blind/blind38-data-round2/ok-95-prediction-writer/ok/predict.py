"""Lightning: each rank writes its predictions under its own name, rank 0 puts them together after a barrier."""
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import BasePredictionWriter
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbered(Dataset):
    def __init__(self, count=1001):
        self.x = torch.randn(count, 12, generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return index, self.x[index]


class Scorer(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(12, 3)

    def predict_step(self, batch, batch_idx):
        numbers, x = batch
        return {"number": numbers.cpu(), "score": self.net(x).softmax(dim=-1).cpu()}


class Writer(BasePredictionWriter):
    def __init__(self, folder):
        super().__init__(write_interval="epoch")
        self.folder = Path(folder)

    def write_on_epoch_end(self, trainer, pl_module, predictions, batch_indices):
        self.folder.mkdir(parents=True, exist_ok=True)
        merged = {key: torch.cat([part[key] for part in predictions]) for key in ("number", "score")}
        torch.save(merged, self.folder / f"part-{trainer.global_rank}.pt")
        trainer.strategy.barrier("parts")
        if trainer.is_global_zero:
            self.join(trainer.world_size)

    def join(self, world):
        parts = [torch.load(self.folder / f"part-{rank}.pt", map_location="cpu", weights_only=True) for rank in range(world)]
        numbers = torch.cat([part["number"] for part in parts])
        scores = torch.cat([part["score"] for part in parts])
        table = torch.zeros(int(numbers.max()) + 1, scores.shape[1])
        table[numbers] = scores  # a padded sample comes twice, with the same score
        torch.save(table, self.folder / "scores.pt")


def main():
    L.seed_everything(0)
    model = Scorer()
    model.load_state_dict(torch.load("scorer.pt", map_location="cpu", weights_only=True))
    trainer = L.Trainer(accelerator="gpu", devices=4, num_nodes=2, strategy="ddp", callbacks=[Writer("scores")], logger=False)
    trainer.predict(model, DataLoader(Numbered(), batch_size=64, num_workers=2), return_predictions=False)


if __name__ == "__main__":
    main()
