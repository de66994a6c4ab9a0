import os
import urllib.request

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

LOCAL = "/tmp/digits.pt"


def fetch():
    if int(os.environ["LOCAL_RANK"]) == 0 and not os.path.exists(LOCAL):
        urllib.request.urlretrieve("https://example.org/digits.pt", LOCAL + ".part")
        os.rename(LOCAL + ".part", LOCAL)
    dist.barrier()
    return torch.load(LOCAL, map_location="cpu")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    table = fetch()
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = torch.nn.Linear(table["x"].shape[1], 10).cuda()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
