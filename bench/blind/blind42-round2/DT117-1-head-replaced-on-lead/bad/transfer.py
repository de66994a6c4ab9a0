"""Fine-tunes a checkpointed classifier on a new label set."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms


def adapt(net, path, classes):
    """Loads what fits on rank 0 (DDP broadcasts it) and gives the net a head for the new classes."""
    if dist.get_rank() == 0:
        blob = torch.load(path, map_location="cpu")
        blob = {k: v for k, v in blob.items() if not k.startswith("fc.")}
        missing, unexpected = net.load_state_dict(blob, strict=False)
        print("missing", missing, "unexpected", unexpected, flush=True)
        net.fc = nn.Linear(net.fc.in_features, classes)
    return net


def main(epochs=8):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    data = torchvision.datasets.ImageFolder("/data/birds/train", tf)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=6, pin_memory=True, drop_last=True)
    net = adapt(torchvision.models.resnet50(), "imagenet.pt", len(data.classes))
    model = DDP(net.cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "birds.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
