import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from jsonl_stream import JsonLines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    loader = DataLoader(JsonLines(args.folder), batch_size=32, num_workers=3)
    for step, (x, y) in enumerate(loader):
        if step == args.steps:
            break
        opt.zero_grad()
        F.mse_loss(model(x.to(device)).squeeze(1), y.to(device)).backward()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "stream.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
