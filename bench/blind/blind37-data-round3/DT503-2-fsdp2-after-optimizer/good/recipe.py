import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


class Recipe:
    def __init__(self, build, lr=1e-3, batch_size=32):
        self.build, self.lr, self.batch_size = build, lr, batch_size
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("fsdp",))

    def setup(self, data):
        torch.manual_seed(0)
        self.model = self.build().cuda()
        self.parallelise()
        self.setup_optimizer()
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=self.batch_size, sampler=self.sampler, drop_last=True)
        return self

    def setup_optimizer(self):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr, weight_decay=0.01)

    def parallelise(self):
        for layer in self.model.layers:
            fully_shard(layer, mesh=self.mesh)
        fully_shard(self.model, mesh=self.mesh)

    def train(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                loss = torch.nn.functional.mse_loss(self.model(x.cuda()), y.cuda())
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.optimizer.zero_grad()

    def close(self):
        dist.destroy_process_group()
