import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Stage(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(width, width), nn.ReLU())

    def forward(self, x):
        return self.block(x)


def infer(stage, micro, width, device):
    rank, world = dist.get_rank(), dist.get_world_size()
    outputs = []
    for index in range(micro):
        if rank == 0:
            x = torch.full((4, width), float(index), device=device)
        else:
            x = torch.empty(4, width, device=device)
            dist.recv(x, src=rank - 1)
        y = stage(x)
        if rank < world - 1:
            dist.send(y, dst=rank + 1)
        else:
            outputs.append(y)
    return outputs


def main():
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    torch.manual_seed(dist.get_rank())
    stage = Stage(16).to(device).eval()
    with torch.no_grad():
        outputs = infer(stage, micro=6, width=16, device=device)
    if outputs:
        print(torch.stack(outputs).mean().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
