import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

from dataset import Speech


def main(epochs=3):
    accelerator = Accelerator()
    torch.manual_seed(0)
    data = Speech(torch.randn(2000, 100, 40), torch.randint(0, 12, (2000,)))
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4, drop_last=True)
    model = nn.Sequential(nn.Flatten(), nn.Linear(4000, 12))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
