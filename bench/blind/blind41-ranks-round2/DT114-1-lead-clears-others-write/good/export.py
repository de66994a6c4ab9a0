import os
import shutil

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

OUT = "/shared/embeddings"


def fresh_folder():
    if dist.get_rank() == 0:
        shutil.rmtree(OUT, ignore_errors=True)
        os.makedirs(OUT)
    dist.barrier()


@torch.no_grad()
def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    fresh_folder()
    encoder = nn.Linear(128, 16).cuda().eval()
    encoder.load_state_dict(torch.load("encoder.pt", map_location="cuda"))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.arange(10000), torch.randn(10000, 128, generator=gen))
    loader = DataLoader(data, batch_size=250, sampler=DistributedSampler(data, shuffle=False))
    for number, (ids, x) in enumerate(loader):
        part = {"ids": ids, "vectors": encoder(x.cuda()).cpu()}
        torch.save(part, os.path.join(OUT, f"{dist.get_rank():03d}-{number:05d}.pt"))
    dist.barrier()
    if dist.get_rank() == 0:
        print(len(os.listdir(OUT)), "files")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
