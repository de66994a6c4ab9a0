import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision.datasets import VOCSegmentation
from torchvision.models.segmentation import fcn_resnet50
from torchvision.transforms import v2

from loaders import distributed_loader


def pairs(root, split):
    tf = v2.Compose([v2.Resize((256, 256)), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    to_mask = v2.Compose([v2.Resize((256, 256), interpolation=v2.InterpolationMode.NEAREST), v2.PILToTensor()])
    return VOCSegmentation(root, image_set=split, transform=tf, target_transform=to_mask)


@torch.no_grad()
def pixel_accuracy(net, loader):
    net.eval()
    counts = torch.zeros(2, device="cuda")
    for image, mask in loader:
        guess, mask = net(image.cuda())["out"].argmax(1), mask.squeeze(1).cuda()
        valid = mask != 255
        counts += torch.stack([(guess == mask)[valid].sum(), valid.sum()])
    dist.all_reduce(counts)
    net.train()
    return (counts[0] / counts[1]).item()


def main(root="/data/voc", epochs=30):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    train = distributed_loader(pairs(root, "train"), 8, training=True)
    val = distributed_loader(pairs(root, "val"), 8, training=False)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(fcn_resnet50(num_classes=21)).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        for image, mask in train:
            out = model(image.cuda(non_blocking=True))["out"]
            loss = nn.functional.cross_entropy(out, mask.squeeze(1).long().cuda(), ignore_index=255)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        score = pixel_accuracy(net, val)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: pixel accuracy {score:.4f}", flush=True)
            torch.save(net.state_dict(), "fcn.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
