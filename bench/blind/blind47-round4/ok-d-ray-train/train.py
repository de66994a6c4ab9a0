import os
import tempfile

import ray.train
import torch
from ray.train import Checkpoint, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer, prepare_data_loader, prepare_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_loop(config):
    torch.manual_seed(0)
    x = torch.randn(640, 4)
    loader = prepare_data_loader(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), config["batch"], shuffle=True))
    model = prepare_model(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), config["lr"])
    context = ray.train.get_context()
    for epoch in range(config["epochs"]):
        if context.get_world_size() > 1:
            loader.sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            loss.backward()
            optimizer.step()
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = None
            if context.get_world_rank() == 0:
                torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
                checkpoint = Checkpoint.from_directory(folder)
            ray.train.report({"epoch": epoch}, checkpoint=checkpoint)


if __name__ == "__main__":
    TorchTrainer(
        train_loop,
        train_loop_config={"batch": 16, "lr": 0.1, "epochs": 2},
        scaling_config=ScalingConfig(num_workers=4),
        run_config=RunConfig(name="linear"),
    ).fit()
