"""Siamese matching of product photos; two loaders in a dict."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class PhotoPairs(Dataset):
    def __init__(self, path):
        blob = torch.load(path, map_location="cpu", mmap=True)
        self.left, self.right, self.same = blob["left"], blob["right"], blob["same"]

    def __len__(self):
        return len(self.same)

    def __getitem__(self, i):
        return self.left[i].float() / 255, self.right[i].float() / 255, self.same[i].float()


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = torchvision.models.resnet18(num_classes=128)
        self.scale = nn.Parameter(torch.tensor(5.0))

    def forward(self, a, b):
        return self.scale * nn.functional.cosine_similarity(self.trunk(a), self.trunk(b))


def build_loaders(batch):
    samplers, loaders = {}, {}
    for split in ("train", "valid"):
        data = PhotoPairs(f"/data/photos/{split}.pt")
        samplers[split] = DistributedSampler(data, shuffle=split == "train", drop_last=split == "train")
        loaders[split] = DataLoader(
            data, batch, sampler=samplers[split], num_workers=4, pin_memory=True, drop_last=split == "train"
        )
    return samplers, loaders


@torch.no_grad()
def error(model, loader):
    model.eval()
    counts = torch.zeros(2, device="cuda")
    for a, b, same in loader:
        wrong = (model(a.cuda(), b.cuda()) > 0).float() != same.cuda()
        counts += torch.stack([wrong.sum().float(), torch.tensor(float(len(same)), device="cuda")])
    dist.all_reduce(counts)
    model.train()
    return (counts[0] / counts[1]).item()


def main(epochs=25):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    samplers, loaders = build_loaders(64)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(Siamese()).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    for epoch in range(epochs):
        samplers["train"].set_epoch(epoch)
        for a, b, same in loaders["train"]:
            loss = nn.functional.binary_cross_entropy_with_logits(model(a.cuda(), b.cuda()), same.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        value = error(net, loaders["valid"])
        if dist.get_rank() == 0:
            print(f"{epoch} error {value:.4f}", flush=True)
            torch.save(net.state_dict(), "siamese.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
