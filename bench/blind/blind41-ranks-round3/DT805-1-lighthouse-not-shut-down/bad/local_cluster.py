import torch
import torch.nn as nn
from torchft import LighthouseServer, Manager, ProcessGroupGloo


def train(manager, net, opt):
    gen = torch.Generator().manual_seed(0)
    for _ in range(100):
        manager.start_quorum()
        x = torch.randn(8, 5, generator=gen)
        opt.zero_grad()
        loss = (net(x) - x).abs().mean()
        if not torch.isfinite(loss):
            raise FloatingPointError("loss")
        loss.backward()
        for p in net.parameters():
            manager.allreduce(p.grad).wait()
        if manager.should_commit():
            opt.step()


def main():
    torch.manual_seed(0)
    net = nn.Linear(5, 5)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    lighthouse = LighthouseServer(bind="[::]:0", min_replicas=1)
    manager = Manager(
        pg=ProcessGroupGloo(),
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id="single",
        min_replica_size=1,
        lighthouse_addr=lighthouse.address(),
    )
    train(manager, net, opt)
    manager.shutdown()
    lighthouse.shutdown()


if __name__ == "__main__":
    main()
