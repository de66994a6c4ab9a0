import argparse
import json
from pathlib import Path

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def build_loaders(batch_size):
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(320, 12, generator=generator)
    labels = (inputs[:, 0] + inputs[:, 3] > 0).long()
    train = TensorDataset(inputs[:256], labels[:256])
    held_out = TensorDataset(inputs[256:], labels[256:])
    return (
        DataLoader(train, batch_size=batch_size, shuffle=True, drop_last=True),
        DataLoader(held_out, batch_size=batch_size),
    )


@torch.inference_mode()
def validate(accelerator, model, loader):
    model.eval()
    hits, seen = 0, 0
    for inputs, labels in loader:
        predictions = model(inputs).argmax(dim=-1)
        predictions, labels = accelerator.gather_for_metrics((predictions, labels))
        hits += (predictions == labels).sum().item()
        seen += labels.numel()
    model.train()
    return hits / max(seen, 1)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    return parser.parse_args()


def main():
    args = parse()
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(17)
    model = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    train_loader, eval_loader = build_loaders(args.batch_size)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)

    history = []
    for epoch in range(args.epochs):
        for inputs, labels in train_loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(inputs), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        if accelerator.is_main_process:
            accuracy = validate(accelerator, model, eval_loader)
            history.append({"epoch": epoch, "accuracy": accuracy})
            accelerator.print(f"epoch {epoch}: accuracy {accuracy:.3f}")
        accelerator.wait_for_everyone()

    if accelerator.is_main_process:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "history.json").write_text(json.dumps(history))
        accelerator.save(accelerator.unwrap_model(model).state_dict(), args.out / "model.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
