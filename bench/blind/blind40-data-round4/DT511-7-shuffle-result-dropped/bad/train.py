import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader

from prepare import splits


def main(epochs=3):
    accelerator = Accelerator()
    set_seed(0)
    train, held = splits("rows.jsonl", seed=13)
    model = nn.Linear(20, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loaders = DataLoader(train, 32, shuffle=True, drop_last=True), DataLoader(held, 32)
    model, optimizer, train_loader, held_loader = accelerator.prepare(model, optimizer, *loaders)
    for epoch in range(epochs):
        for batch in train_loader:
            loss = F.cross_entropy(model(batch["x"].float()), batch["y"])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        right = []
        for batch in held_loader:
            with torch.no_grad():
                guess = model(batch["x"].float()).argmax(-1)
            right.append(accelerator.gather_for_metrics(guess == batch["y"]).float())
        accelerator.print(epoch, torch.cat(right).mean().item())
    accelerator.end_training()


if __name__ == "__main__":
    main()
