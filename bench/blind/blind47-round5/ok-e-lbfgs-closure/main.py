import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(dist.get_rank())
    x = torch.randn(128, 5, generator=g)
    y = x.sum(1, keepdim=True)
    model = DistributedDataParallel(nn.Linear(5, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        return mean / dist.get_world_size()

    for _ in range(5):
        optimizer.step(closure)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
