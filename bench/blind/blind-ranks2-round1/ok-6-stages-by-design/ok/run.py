import os

import torch
import torch.distributed as dist

from stages import Schedule, Stage


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, stages = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(rank)
    stage = Stage(rank, stages).to(device)
    schedule = Schedule(stage, rank, stages, (4, 6, 16), device)
    if stage.first or stage.last:
        with torch.no_grad():
            dist.broadcast(stage.tied, src=0, group=schedule.tied_group)
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(0)
    for _ in range(5):
        tokens = torch.randint(0, 32, (4, 7), generator=data).to(device)
        schedule.step(tokens[:, :-1], tokens[:, 1:])
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
