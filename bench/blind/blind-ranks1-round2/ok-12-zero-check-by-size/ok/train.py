import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset

from options import parse


class LowRank(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        self.rank = rank
        if self.rank:
            self.down = nn.Linear(base.in_features, rank, bias=False)
            self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) if self.rank else self.base(x)


def main():
    args = parse()
    device = torch.device("cpu")
    if args.distributed:
        cuda = torch.cuda.is_available()
        if cuda:
            torch.cuda.set_device(args.local_rank)
            device = torch.device("cuda", args.local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = LowRank(nn.Linear(6, 3), args.lora_rank).to(device)
    if args.local_rank != -1:
        model = DDP(model, device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(256, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True) if args.distributed else RandomSampler(data)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    losses = []
    for epoch in range(2):
        if args.distributed:
            sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.cross_entropy(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
            if len(losses) % args.average_every == 0 and args.world_size > 1:
                window = torch.stack(losses[-args.average_every :]).mean()
                dist.all_reduce(window)
                if args.local_rank == 0 and dist.get_rank() == 0:
                    print(f"{epoch}: {window.item() / args.world_size:.4f}")
    if args.distributed:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
