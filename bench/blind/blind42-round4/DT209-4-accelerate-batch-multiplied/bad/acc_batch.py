import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

GLOBAL_BATCH = 256


def main(epochs=5):
    accelerator = Accelerator()
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    loader = DataLoader(data, batch_size=GLOBAL_BATCH * accelerator.num_processes, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 8))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "out")
    accelerator.end_training()


if __name__ == "__main__":
    main()
