"""CLIP-like text/image towers over WebDataset shards."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision import transforms

URLS = "/data/laion/{00000..01023}.tar"


def pipeline(batch):
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    return wds.DataPipeline(
        wds.SimpleShardList(URLS, seed=3),
        wds.split_by_worker,
        wds.tarfile_to_samples(),
        wds.shuffle(2000),
        wds.decode("pil"),
        wds.to_tuple("jpg", "label.npy"),
        wds.map_tuple(tf, torch.from_numpy),
        wds.batched(batch, partial=False),
    )


class Towers(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.image = torchvision.models.resnet50(num_classes=width)
        self.text = nn.Sequential(nn.Linear(512, width), nn.GELU(), nn.Linear(width, width))
        self.scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, image, text):
        a = nn.functional.normalize(self.image(image), dim=-1)
        b = nn.functional.normalize(self.text(text), dim=-1)
        logits = self.scale.exp() * a @ b.T
        target = torch.arange(len(a), device=a.device)
        return (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)) / 2


def main(steps=200_000, batch=128):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    loader = wds.WebLoader(pipeline(batch).repeat(), batch_size=None, num_workers=8)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(Towers()).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 5e-4, weight_decay=0.2)
    for step, (image, text) in zip(range(steps), loader):
        loss = model(image.cuda(non_blocking=True), text.float().cuda(non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 10_000 == 0 and dist.get_rank() == 0:
            torch.save(net.state_dict(), f"towers_{step}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
