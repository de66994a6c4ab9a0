"""Subgroups: data-parallel and expert-parallel groups with all_to_all."""
import torch
import torch.distributed as dist
from torch import nn

EXPERT_PARALLEL = 2


def make_groups():
    world, rank = dist.get_world_size(), dist.get_rank()
    expert_group = data_group = None
    for start in range(0, world, EXPERT_PARALLEL):
        ranks = list(range(start, start + EXPERT_PARALLEL))
        group = dist.new_group(ranks)
        if rank in ranks:
            expert_group = group
    for offset in range(EXPERT_PARALLEL):
        ranks = list(range(offset, world, EXPERT_PARALLEL))
        group = dist.new_group(ranks)
        if rank in ranks:
            data_group = group
    return expert_group, data_group


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous(), group=group)
        return out

    @staticmethod
    def backward(ctx, grad):
        out = torch.empty_like(grad)
        dist.all_to_all_single(out, grad.contiguous(), group=ctx.group)
        return out, None


class MoE(nn.Module):
    def __init__(self, dim, group):
        super().__init__()
        self.group, self.n = group, dist.get_world_size(group)
        self.gate = nn.Linear(dim, self.n)
        self.expert = nn.Linear(dim, dim)
        for p in self.expert.parameters():
            p.expert = True

    def forward(self, x):
        # every rank sends an equal share to each expert
        score = self.gate(x).softmax(-1)
        order = score[:, 0].argsort()
        sent = AllToAll.apply(x[order], self.group)
        back = AllToAll.apply(self.expert(sent), self.group)
        out = torch.empty_like(back)
        out[order] = back
        return out * score.max(-1, keepdim=True).values


def sync_gradients(model, data_group):
    for p in model.parameters():
        if p.grad is None:
            continue
        group = data_group if getattr(p, "expert", False) else None
        dist.all_reduce(p.grad, group=group)
        p.grad /= dist.get_world_size()


def main():
    dist.init_process_group("gloo")
    expert_group, data_group = make_groups()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), MoE(32, expert_group), nn.Linear(32, 1))
    for p in model.parameters():
        if not getattr(p, "expert", False):
            dist.broadcast(p.data, src=0)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    g = torch.Generator().manual_seed(dist.get_rank())
    for step in range(100):
        x = torch.randn(64, 16, generator=g)
        loss = (model(x).squeeze(-1) - x.sum(-1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        sync_gradients(model, data_group)
        optimizer.step()
        if step % 25 == 0:
            mean = loss.detach()
            dist.all_reduce(mean, op=dist.ReduceOp.SUM)
            if dist.get_rank() == 0:
                print(step, (mean / dist.get_world_size()).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
