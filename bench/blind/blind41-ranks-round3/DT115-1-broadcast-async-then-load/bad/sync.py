import os

import torch
import torch.distributed as dist
import torch.nn as nn


def fetch_weights(shapes, device):
    """Rank 0 sends the published weights to everybody."""
    if dist.get_rank() == 0:
        held = {k: v.to(device) for k, v in torch.load("published.pt", map_location="cpu").items()}
    else:
        held = {k: torch.empty(shape, device=device) for k, shape in shapes.items()}
    for name in sorted(held):
        dist.broadcast(held[name], src=0, async_op=True)
    return held


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).to(device).eval()
    shapes = {k: v.shape for k, v in model.state_dict().items()}
    model.load_state_dict(fetch_weights(shapes, device))
    gen = torch.Generator(device=device).manual_seed(0)
    with torch.no_grad():
        out = model(torch.randn(4, 64, generator=gen, device=device))
    print(dist.get_rank(), out.sum().item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
