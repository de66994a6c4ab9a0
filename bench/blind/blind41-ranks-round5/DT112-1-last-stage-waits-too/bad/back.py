import torch
import torch.distributed as dist
import torch.nn as nn


def backward(stage, x, out):
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank <= world - 1:
        grad = torch.empty_like(out)
        dist.recv(grad, src=(rank + 1) % world)
        out.backward(grad)
    else:
        out.pow(2).mean().backward()
    if rank > 0:
        dist.send(x.grad, dst=rank - 1)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    stage = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
    x = torch.ones(4, 8)
    if rank > 0:
        dist.recv(x, src=rank - 1)
    x.requires_grad_(True)
    out = stage(x)
    if rank < world - 1:
        dist.send(out.detach(), dst=rank + 1)
    backward(stage, x, out)
    print(rank, x.grad.norm().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
