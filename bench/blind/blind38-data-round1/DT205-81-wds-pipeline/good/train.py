"""CLIP-style image tower on tar shards, with an explicit WebDataset pipeline."""
import argparse
import os

import torch
import torch.distributed as dist
import torchvision.transforms as T
import webdataset as wds
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision.models import resnet50


def to_tensor(size):
    return T.Compose([T.RandomResizedCrop(size), T.RandomHorizontalFlip(), T.ToTensor()])


def shard_pipeline(urls, batch_size, size, seed):
    return wds.DataPipeline(
        wds.SimpleShardList(urls),
        wds.detshuffle(seed=seed),
        wds.split_by_node,
        wds.split_by_worker,
        wds.tarfile_to_samples(handler=wds.warn_and_continue),
        wds.shuffle(2000, initial=500),
        wds.decode("pil", handler=wds.warn_and_continue),
        wds.to_tuple("jpg;png", "cls"),
        wds.map_tuple(to_tensor(size), int),
        wds.batched(batch_size, partial=False),
    )


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--urls", default="/data/shards/train-{000000..001023}.tar")
    parser.add_argument("--batch-size", type=int, default=96)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--samples", type=int, default=1_000_000, help="per epoch, over all ranks")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


def main():
    args = arguments()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed)

    steps = args.samples // (args.batch_size * world)
    data = shard_pipeline(args.urls, args.batch_size, args.size, args.seed)
    loader = wds.WebLoader(data, batch_size=None, shuffle=False, num_workers=args.workers, persistent_workers=True)
    loader = loader.repeat().with_epoch(steps)

    net = resnet50(num_classes=1000).cuda(local)
    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(net), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * args.batch_size * world / 256, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * steps)

    for epoch in range(args.epochs):
        model.train()
        running = torch.zeros((), device="cuda")
        for images, labels in loader:
            images = images.cuda(local, non_blocking=True)
            labels = labels.cuda(local, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            running += loss.detach() / steps
        dist.all_reduce(running)
        if rank == 0:
            print(f"epoch {epoch}: {running.item() / world:.4f}", flush=True)
            torch.save(model.module.state_dict(), f"tower-{epoch:02d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
