import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    torch.manual_seed(0)
    table = torch.load("table.pt", map_location="cpu")
    loader = DataLoader(TensorDataset(table["x"], table["y"]), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Linear(32, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(4):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x).squeeze(-1), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
