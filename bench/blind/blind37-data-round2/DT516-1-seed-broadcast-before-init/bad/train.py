import argparse
import os
import secrets

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def shared_seed(wanted):
    """The seed of the command line, or one that rank 0 draws for all."""
    if wanted is not None:
        return wanted
    box = [secrets.randbelow(2**31)]
    dist.broadcast_object_list(box, src=0)
    return box[0]


class Session:
    def __init__(self, args):
        self.args = args
        self.local_rank = int(os.environ["LOCAL_RANK"])
        self.seed = shared_seed(args.seed)
        self.connect()
        torch.manual_seed(self.seed)

    def connect(self):
        self.cuda = torch.cuda.is_available()
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")

    def data(self):
        g = torch.Generator().manual_seed(1)
        x = torch.randn(2048, 20, generator=g)
        return TensorDataset(x, x.tanh())

    def run(self):
        net = nn.Sequential(nn.Linear(20, 80), nn.Dropout(0.1), nn.Tanh(), nn.Linear(80, 20)).to(self.device)
        model = DDP(net, device_ids=[self.local_rank] if self.cuda else None)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        data = self.data()
        sampler = DistributedSampler(data, seed=self.seed, drop_last=True)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        for epoch in range(self.args.epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                loss = F.mse_loss(model(x.to(self.device)), y.to(self.device))
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
        if dist.get_rank() == 0:
            torch.save({"net": net.state_dict(), "seed": self.seed}, "tanh.pt")
        dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int)
    Session(parser.parse_args()).run()
