import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import tracking


def main(lr=0.1):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    tracker = tracking.make("linear", dist.get_rank() == 0, lr=lr)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(50):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, generator=noise)).square().mean()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        tracker.log(loss=mean.item() / dist.get_world_size())
    tracker.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
