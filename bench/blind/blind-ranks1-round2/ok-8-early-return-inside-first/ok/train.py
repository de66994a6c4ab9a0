import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm

from data import cached_tokens


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    tokens = cached_tokens("tokens.pt", "some text to learn by heart, again and again. " * 40)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 50)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    pairs = TensorDataset(tokens[:-1], tokens[1:])
    sampler = DistributedSampler(pairs, drop_last=True)
    loader = DataLoader(pairs, 64, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        batches = tqdm(loader) if dist.get_rank() == 0 else loader
        for a, b in batches:
            opt.zero_grad()
            nn.functional.cross_entropy(model(a.to(device)), b.to(device)).backward()
            opt.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
