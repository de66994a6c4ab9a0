import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from stream import Problems


def main(steps=200, promote_every=50):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(16, 1).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    problems = Problems(dist.get_rank())
    batches = iter(DataLoader(problems, batch_size=32, num_workers=2))
    for step in range(1, steps + 1):
        x, y = next(batches)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
        if step % promote_every == 0:
            problems.raise_difficulty()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
