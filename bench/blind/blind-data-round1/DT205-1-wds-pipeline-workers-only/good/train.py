import os
from functools import partial

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP

URLS = "shards/train-{000000..000007}.tar"


def decode(sample):
    image = torch.frombuffer(bytearray(sample["bin"]), dtype=torch.uint8).float() / 255
    return image, int(sample["cls"])


def pipeline(batch_size, seed):
    stages = [
        wds.SimpleShardList(URLS, seed=seed),
        wds.split_by_node,
        wds.split_by_worker,
        wds.tarfile_to_samples(handler=wds.warn_and_continue),
        wds.shuffle(64),
        wds.map(decode),
        wds.batched(batch_size, partial=False),
    ]
    return wds.DataPipeline(*stages)


class SmallNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 4))


def main(epochs=2, steps=6, batch_size=4):
    gpu = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if gpu:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local) if gpu else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(SmallNet().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = pipeline(batch_size, seed=21).repeat(epochs).with_epoch(steps)
    loader = wds.WebLoader(data, batch_size=None, num_workers=2)
    criterion = partial(F.cross_entropy, label_smoothing=0.1)
    for epoch in range(epochs):
        for images, labels in loader:
            loss = criterion(model(images.to(device)), labels.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "small.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
