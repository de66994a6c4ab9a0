import horovod.torch as hvd
import torch
import torch.nn as nn


def main():
    hvd.init()
    torch.manual_seed(0)
    model = nn.Linear(4, 4)
    opt = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    gen = torch.Generator().manual_seed(0)
    mine = torch.randn(1003, 4, generator=gen)[hvd.rank() :: hvd.size()]
    for x in mine.split(10):
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    hvd.join()
    torch.save({"seen": len(mine)}, f"seen-{hvd.rank()}.pt")
    if hvd.rank() == 0:
        torch.save(model.state_dict(), "model.pt")
    hvd.shutdown()


if __name__ == "__main__":
    main()
