import json
import os

import torch
import torch.distributed as dist
from torch import nn

from roles import Member, Role


def export(model, member, folder):
    match member.role:
        case Role.WRITER:
            os.makedirs(folder, exist_ok=True)
            torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
            with open(os.path.join(folder, "card.json"), "w") as f:
                json.dump({"parameters": sum(p.numel() for p in model.parameters())}, f)
            dist.barrier()
        case Role.TRAINER:
            print(f"rank {member.rank} waits for the export")


def load_card(folder):
    with open(os.path.join(folder, "card.json")) as f:
        return json.load(f)


def main():
    dist.init_process_group("gloo")
    member = Member.current()
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    g = torch.Generator().manual_seed(100 + member.rank)
    for _ in range(4):
        x = torch.randn(8, 5, 16, generator=g)
        opt.zero_grad()
        (model(x) - x).square().mean().backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= member.world
        opt.step()
    export(model, member, "export")
    card = load_card("export")
    if member.rank == 0:
        print(card)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
