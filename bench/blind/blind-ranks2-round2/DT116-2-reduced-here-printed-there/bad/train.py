import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from metrics import Throughput


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(10, 40), nn.GELU(), nn.Linear(40, 10)).to(device))
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(320, 10, generator=torch.Generator().manual_seed(12))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    throughput = Throughput(device)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            batch = batch.to(device)
            loss = nn.functional.mse_loss(model(batch), batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            throughput.add(loss, len(batch))
        throughput.report(epoch)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
