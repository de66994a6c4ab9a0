import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(project_config=ProjectConfiguration(project_dir="ft", automatic_checkpoint_naming=True))


def data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 22, generator=g)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())


@accelerator.on_main_process
def show(predictions, labels, epoch):
    wrong = (predictions != labels).nonzero().flatten()[:5].tolist()
    print(f"epoch {epoch}: last batch {len(labels)} samples, first wrong {wrong}")


def preview(predictions, labels, epoch):
    show(*accelerator.gather_for_metrics((predictions, labels)), epoch)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct = total = 0
    for x, y in loader:
        predictions, labels = accelerator.gather_for_metrics((model(x).argmax(1), y))
        correct += (predictions == labels).sum().item()
        total += labels.numel()
    model.train()
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    set_seed(3)
    model = nn.Sequential(nn.Linear(22, 66), nn.ReLU(), nn.Linear(66, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    train_loader = DataLoader(data(900, 0), batch_size=18, shuffle=True, drop_last=True)
    eval_loader = DataLoader(data(180, 1), batch_size=36)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    for epoch in range(args.epochs):
        for x, y in train_loader:
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        preview(logits.argmax(1), y, epoch)
        accuracy = evaluate(model, eval_loader)
        accelerator.print(f"epoch {epoch}: accuracy {accuracy:.3f}")
        accelerator.save_state()
    accelerator.end_training()


if __name__ == "__main__":
    main()
