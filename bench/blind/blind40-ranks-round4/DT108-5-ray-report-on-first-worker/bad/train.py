import os
import tempfile

import ray.train
import torch
import torch.nn as nn
from ray.train import Checkpoint, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer, prepare_data_loader, prepare_model
from torch.utils.data import DataLoader, TensorDataset


def dataset():
    x = torch.randn(1024, 9, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, x.pow(2).sum(1, keepdim=True))


def train_loop(config):
    torch.manual_seed(config["seed"])
    model = prepare_model(nn.Sequential(nn.Linear(9, 36), nn.ReLU(), nn.Linear(36, 1)))
    opt = torch.optim.Adam(model.parameters(), lr=config["lr"])
    loader = prepare_data_loader(DataLoader(dataset(), batch_size=32, shuffle=True, drop_last=True))
    rank = ray.train.get_context().get_world_rank()
    for epoch in range(config["epochs"]):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if rank == 0:
            with tempfile.TemporaryDirectory() as folder:
                torch.save(model.module.state_dict(), os.path.join(folder, "model.pt"))
                ray.train.report({"epoch": epoch}, checkpoint=Checkpoint.from_directory(folder))


if __name__ == "__main__":
    trainer = TorchTrainer(
        train_loop,
        train_loop_config={"lr": 1e-3, "epochs": 4, "seed": 0},
        scaling_config=ScalingConfig(num_workers=4, use_gpu=True),
        run_config=RunConfig(name="squares"),
    )
    trainer.fit()
