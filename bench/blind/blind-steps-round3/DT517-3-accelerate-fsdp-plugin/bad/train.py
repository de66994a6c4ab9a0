import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, TensorDataset


class Learner:
    def __init__(self, max_norm=1.0):
        plugin = FullyShardedDataParallelPlugin(sharding_strategy="FULL_SHARD", cpu_offload=False)
        self.accelerator = Accelerator(fsdp_plugin=plugin, mixed_precision="bf16")
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
        self.model = self.accelerator.prepare(net)
        self.optimizer = self.accelerator.prepare(torch.optim.AdamW(self.model.parameters(), lr=3e-4))
        self.max_norm = max_norm

    def update(self, x):
        loss = nn.functional.mse_loss(self.model(x), x)
        self.accelerator.backward(loss)
        clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


def main():
    learner = Learner()
    data = TensorDataset(torch.randn(2048, 64, generator=torch.Generator().manual_seed(0)))
    loader = learner.accelerator.prepare(DataLoader(data, batch_size=32, shuffle=True, drop_last=True))
    for _ in range(2):
        for (x,) in loader:
            learner.update(x)
    learner.accelerator.save_state("out")
    learner.accelerator.end_training()


if __name__ == "__main__":
    main()
