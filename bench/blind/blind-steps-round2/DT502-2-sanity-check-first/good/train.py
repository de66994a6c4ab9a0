import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

from comm import choose_device, connect, handshake


def main(steps: int = 500):
    device = choose_device()
    connect()
    handshake()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    draw = torch.Generator(device=device).manual_seed(1 + dist.get_rank())
    for _ in range(steps):
        x = torch.randn(64, 32, generator=draw, device=device)
        loss = nn.functional.mse_loss(net(x), x[:, :1])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
