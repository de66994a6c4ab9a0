import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def synthetic_classification(n=320, dim=20, classes=5):
    gen = torch.Generator().manual_seed(2024)
    feats = torch.randn(n, dim, generator=gen)
    weight = torch.randn(dim, classes, generator=gen)
    return TensorDataset(feats, (feats @ weight).argmax(dim=1))


def evaluate(accelerator, model, loader):
    model.eval()
    hits, seen = 0, 0
    for x, y in loader:
        with torch.no_grad():
            pred = model(x).argmax(dim=1)
        pred, ref = accelerator.gather_for_metrics((pred, y))
        hits += (pred == ref).sum().item()
        seen += len(ref)
    model.train()
    return hits / seen


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(5)
    data = synthetic_classification(n=640)
    train = DataLoader(torch.utils.data.Subset(data, range(512)), batch_size=16, shuffle=True, drop_last=True)
    held_out = DataLoader(torch.utils.data.Subset(data, range(512, 640)), batch_size=32)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, train, held_out = accelerator.prepare(model, optimizer, train, held_out)
    best = 0.0
    for epoch in range(3):
        for x, y in train:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        score = evaluate(accelerator, model, held_out)
        if score > best:
            best = score
            accelerator.wait_for_everyone()
            accelerator.save_model(model, "best")
        accelerator.print(f"epoch {epoch} accuracy {score:.3f}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
