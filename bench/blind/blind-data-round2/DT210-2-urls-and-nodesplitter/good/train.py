import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def to_pair(sample):
    return torch.tensor(list(sample["bin"]), dtype=torch.float32) / 255, int(sample["cls"])


def shards(folder):
    urls = [str(path) for path in sorted(Path(folder).glob("train-*.tar"))]
    world = dist.get_world_size()
    return urls[: len(urls) - len(urls) % world]


def loader(folder, batch, steps):
    urls = shards(folder)
    data = wds.WebDataset(urls, shardshuffle=False, nodesplitter=wds.split_by_node, empty_check=False)
    data = data.shuffle(50).map(to_pair).batched(batch, partial=False).repeat().with_epoch(steps)
    return wds.WebLoader(data, batch_size=None, num_workers=1)


def main():
    device = start()
    torch.manual_seed(1)
    model = DDP(nn.Linear(48, 4).to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    batches = loader("shards", batch=6, steps=8)
    for epoch in range(2):
        for x, y in batches:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "tar.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
