import os

import torch
import torch.distributed as dist
import torch.nn as nn


class ShardedSGD:
    def __init__(self, model, lr):
        self.params, self.lr = list(model.parameters()), lr
        self.world, self.rank = dist.get_world_size(), dist.get_rank()

    @torch.no_grad()
    def step(self):
        pieces, work = [], None
        for p in self.params:
            flat = p.grad.flatten()
            piece = flat.new_empty(flat.numel() // self.world)
            work = dist.reduce_scatter_tensor(piece, flat, op=dist.ReduceOp.AVG, async_op=True)
            pieces.append(piece)
        work.wait()
        for p, piece in zip(self.params, pieces):
            own = p.flatten().chunk(self.world)[self.rank] - self.lr * piece
            whole = p.new_empty(p.numel())
            dist.all_gather_into_tensor(whole, own.contiguous())
            p.copy_(whole.view_as(p))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64, bias=False), nn.ReLU(), nn.Linear(64, 64, bias=False)).cuda()
    opt = ShardedSGD(model, lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(50):
        x = torch.randn(16, 64, generator=gen, device="cuda")
        model.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
