import torch
import torch.distributed as dist

from stg.table import stage


@torch.no_grad()
def main(micro=4, rows=8, dim=6):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    net = stage(rank, world, dim)
    outputs = []
    for i in range(micro):
        if rank == 0:
            x = torch.randn(rows, dim, generator=torch.Generator().manual_seed(i))
        else:
            x = torch.empty(rows, dim)
            dist.recv(x, src=rank - 1)
        y = net(x)
        if rank + 1 < world:
            dist.send(y, dst=rank + 1)
        else:
            outputs.append(y)
    if outputs:
        print(torch.cat(outputs).mean().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
