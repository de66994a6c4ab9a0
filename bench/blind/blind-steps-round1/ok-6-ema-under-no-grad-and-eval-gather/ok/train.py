import copy
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Ema:
    def __init__(self, net: nn.Module, decay: float = 0.99):
        self.shadow = copy.deepcopy(net).requires_grad_(False).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        for mean, new in zip(self.shadow.parameters(), net.parameters()):
            mean.lerp_(new, 1 - self.decay)

    @torch.no_grad()
    def agree(self) -> None:
        for mean in self.shadow.parameters():
            dist.all_reduce(mean)
            mean.div_(dist.get_world_size())


@torch.inference_mode()
def top1(net: nn.Module, queries: torch.Tensor, keys: torch.Tensor) -> float:
    mine = nn.functional.normalize(net(keys), dim=1)
    bank = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(bank, mine)
    scores = nn.functional.normalize(net(queries), dim=1) @ torch.cat(bank).t()
    want = torch.arange(len(queries), device=scores.device) + dist.get_rank() * len(queries)
    hits = (scores.argmax(1) == want).float().mean()
    dist.all_reduce(hits)
    return hits.item() / dist.get_world_size()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 12)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    ema = Ema(net)
    data = TensorDataset(torch.randn(1024, 12, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), x).backward()
            optimizer.step()
            ema.update(net)
        ema.agree()
        score = top1(ema.shadow, x + 0.01, x)
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
