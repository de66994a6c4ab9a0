import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP

URLS = "shards/train-{000000..000007}.tar"


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def pair(sample):
    return torch.tensor(list(sample["bin"]), dtype=torch.float32) / 255, int(sample["cls"])


def make(epoch_batches, batch):
    data = wds.DataPipeline(
        wds.SimpleShardList(URLS, seed=3),
        wds.split_by_node,
        wds.split_by_worker,
        wds.tarfile_to_samples(),
        wds.shuffle(40),
        wds.map(pair),
        wds.batched(batch, partial=False),
    )
    return wds.WebLoader(data, batch_size=None, num_workers=2).repeat(2).with_epoch(epoch_batches)


def main(batch=4, total=128):
    device = start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(48, 4).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = make(total // (batch * dist.get_world_size()), batch)
    for _ in range(2):
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "wds.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
