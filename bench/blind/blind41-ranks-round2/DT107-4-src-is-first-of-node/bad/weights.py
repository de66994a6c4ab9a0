import os

import torch
import torch.distributed as dist
import torch.nn as nn


def share(model):
    local_world = int(os.environ["LOCAL_WORLD_SIZE"])
    lead = dist.get_rank() // local_world * local_world
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, src=lead)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    model = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 4)).cuda()
    if dist.get_rank() == 0:
        model.load_state_dict(torch.load("start.pt", map_location="cuda"))
    share(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(100):
        x = torch.randn(16, 40, generator=gen, device="cuda")
        loss = model(x).logsumexp(dim=1).mean()
        opt.zero_grad()
        loss.backward()
        for p in model.parameters():
            dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
