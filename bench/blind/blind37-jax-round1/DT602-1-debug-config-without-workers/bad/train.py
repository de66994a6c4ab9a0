import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import conf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true")
    flags = parser.parse_args()
    config = conf.Config()
    if flags.debug:
        config = conf.debug(config)

    accelerator = Accelerator()
    torch.manual_seed(0)
    table = torch.load("table.pt", map_location="cpu")
    loader = DataLoader(TensorDataset(table["x"], table["y"]), shuffle=True, **config.loader.kwargs())
    model = nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(config.epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x).squeeze(-1), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch} done")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "model.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
