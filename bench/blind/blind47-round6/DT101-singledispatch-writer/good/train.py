import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from writers import describe


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(100):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, generator=noise)).square().mean()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            text = describe(loss)
            if dist.get_rank() == 0:
                print(step, text)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
