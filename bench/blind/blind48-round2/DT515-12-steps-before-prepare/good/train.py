import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_cosine_schedule_with_warmup


def synthetic_classification(n=320, dim=20, classes=5):
    gen = torch.Generator().manual_seed(2024)
    feats = torch.randn(n, dim, generator=gen)
    weight = torch.randn(dim, classes, generator=gen)
    return TensorDataset(feats, (feats @ weight).argmax(dim=1))


def main(epochs=5):
    accelerator = Accelerator()
    set_seed(2)
    loader = DataLoader(synthetic_classification(n=4096), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = epochs * len(loader)
    scheduler = get_cosine_schedule_with_warmup(optimizer, total // 20, total)
    for _ in range(epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "out")
    accelerator.end_training()


if __name__ == "__main__":
    main()
