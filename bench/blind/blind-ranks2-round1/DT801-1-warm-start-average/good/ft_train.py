import logging
import os
from datetime import timedelta

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler, Manager, ProcessGroupGloo

logger = logging.getLogger("ft_train")

REPLICA = int(os.environ.get("REPLICA_GROUP_ID", "0"))
REPLICAS = int(os.environ.get("NUM_REPLICA_GROUPS", "2"))


class ReplicatedModel:
    """A model whose replicas are averaged by the manager."""

    def __init__(self, module, manager):
        self.module, self.manager = module, manager

    def average_weights(self):
        works = [self.manager.allreduce(p.data) for p in self.module.parameters()]
        for work in works:
            work.wait()

    def average_gradients(self):
        works = [self.manager.allreduce(p.grad) for p in self.module.parameters()]
        for work in works:
            work.wait()


def make_loader(batch_size):
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(512, 8, generator=generator)
    dataset = TensorDataset(inputs, inputs.sum(dim=1, keepdim=True))
    sampler = DistributedSampler(
        dataset, replica_rank=REPLICA, num_replica_groups=REPLICAS, group_rank=0, num_replicas=1, shuffle=True, drop_last=True
    )
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def main():
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3)

    def load_state_dict(state):
        module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optim"])

    def state_dict():
        return {"model": module.state_dict(), "optim": optimizer.state_dict()}

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        min_replica_size=REPLICAS,
        replica_id=f"ft_train_{REPLICA}",
        timeout=timedelta(seconds=20),
    )
    model = ReplicatedModel(module, manager)
    loader, sampler = make_loader(16)
    try:
        manager.start_quorum()
        model.average_weights()
        if not manager.should_commit():
            raise RuntimeError("the replicas did not agree on the initial weights")
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for inputs, targets in loader:
                manager.start_quorum()
                optimizer.zero_grad()
                loss = F.mse_loss(model.module(inputs), targets)
                loss.backward()
                model.average_gradients()
                if manager.should_commit():
                    optimizer.step()
            logger.info("replica %d: step %d", REPLICA, manager.current_step())
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
