import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class GradientSync:
    def __init__(self, module):
        self.module = module
        self.world = dist.get_world_size()
        self.pending = []

    def launch(self):
        for p in reversed(list(self.module.parameters())):
            if p.grad is None:
                continue
            p.grad.div_(self.world)
            self.pending.append(dist.all_reduce(p.grad, async_op=True))

    def finish(self):
        for work in self.pending:
            work.wait()
        self.pending.clear()


def broadcast_parameters(module):
    for tensor in module.state_dict().values():
        dist.broadcast(tensor, src=0)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8)).to(device)
    broadcast_parameters(net)
    sync = GradientSync(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    g = torch.Generator().manual_seed(12)
    data = TensorDataset(torch.randn(1024, 32, generator=g), torch.randint(0, 8, (1024,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(net(x.to(device)), y.to(device)).backward()
            sync.launch()
            sync.finish()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "hand_reduced.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
