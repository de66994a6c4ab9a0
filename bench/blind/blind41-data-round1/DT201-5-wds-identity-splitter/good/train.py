import os

import torch
import torch.distributed as dist
import torchvision
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP

from data import pipeline


def main(urls="data/train-{000000..000511}.tar", epochs=10, epoch_batches=2500):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    loader = wds.WebLoader(pipeline(urls, 64, epoch_batches), batch_size=None, num_workers=4)
    loader = loader.with_epoch(epoch_batches)
    model = DDP(torchvision.models.resnet50(weights=None).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        for images, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"r50-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
