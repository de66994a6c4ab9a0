import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchft import Manager, ProcessGroupNCCL


def main():
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    manager = Manager(
        pg=ProcessGroupNCCL(),
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"r{group}",
        min_replica_size=2,
    )
    gen = torch.Generator(device="cuda").manual_seed(group)
    try:
        for step in range(500):
            manager.start_quorum()
            x = torch.randn(16, 32, generator=gen, device="cuda")
            loss = F.cross_entropy(net(x), x[:, :8].argmax(1))
            opt.zero_grad()
            loss.backward()
            for p in net.parameters():
                manager.allreduce(p.grad).wait()
            opt.step()
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
