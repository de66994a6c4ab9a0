"""WebDataset with nodesplitter and worker splitter, resampled shards and with_epoch."""
import os

import torch
import torch.distributed as dist
import webdataset as wds
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision import models, transforms


def make_loader(urls, batch, epoch_samples, workers, world):
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    per_worker = epoch_samples // (batch * world * workers)
    pipeline = wds.DataPipeline(
        wds.ResampledShards(urls),
        wds.tarfile_to_samples(handler=wds.warn_and_continue),
        wds.shuffle(1000),
        wds.decode("pil"),
        wds.to_tuple("jpg", "cls"),
        wds.map_tuple(tf, lambda x: x),
        wds.batched(batch, partial=False),
    ).with_epoch(per_worker)
    return wds.WebLoader(pipeline, batch_size=None, num_workers=workers, persistent_workers=True)


def make_val(urls, batch, workers):
    tf = transforms.Compose([transforms.CenterCrop(224), transforms.ToTensor()])
    dataset = (
        wds.WebDataset(urls, nodesplitter=wds.split_by_node, shardshuffle=False)
        .decode("pil").to_tuple("jpg", "cls").map_tuple(tf, lambda x: x).batched(batch)
    )
    return wds.WebLoader(dataset, batch_size=None, num_workers=workers)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    world = dist.get_world_size()
    loader = make_loader("train-{000000..000146}.tar", 64, 1_281_167, 8, world)
    val = make_val("val-{000000..000007}.tar", 64, 1)
    net = models.resnet18().cuda()
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(90):
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        counts = torch.zeros(2, device="cuda")
        with torch.no_grad():
            for x, y in val:
                counts[0] += (net(x.cuda()).argmax(1) == y.cuda()).sum()
                counts[1] += len(y)
        dist.all_reduce(counts)
        if dist.get_rank() == 0:
            print(epoch, (counts[0] / counts[1]).item())
            torch.save(net.state_dict(), "wds.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
