import argparse
import glob
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

from naming.files import own_files
from naming.seed import seed_of


class Files(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.load(self.paths[i], map_location="cpu", weights_only=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--name", default="baseline")
    args = ap.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    files = own_files(glob.glob("/data/x/*.pt"), seed_of(args.name), dist.get_rank(), dist.get_world_size())
    loader = DataLoader(Files(files), batch_size=None, num_workers=4)
    torch.manual_seed(0)
    model = DDP(nn.Linear(64, 64).cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters())
    for x in loader:
        x = x.cuda(non_blocking=True)
        opt.zero_grad()
        (model(x) - x).square().mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
