import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from coordinator import Coordinator


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 2).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(1)
    x = torch.randn(256, 6, generator=g)
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    coordinator = Coordinator(3600.0, "STOP", 600.0)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(a.to(device)), b.to(device)).backward()
            optimizer.step()
            step += 1
            decision = coordinator.decide()
            if decision.save:
                dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=f"ckpt/{step}")
            if decision.stop:
                if dist.get_rank() == 0:
                    print(f"stopping at {step}: {decision.reason}")
                dist.destroy_process_group()
                return
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
