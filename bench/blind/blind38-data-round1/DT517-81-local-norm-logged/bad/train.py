"""FSDP1 training of a vision transformer that keeps an eye on the gradient norm."""
import functools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision, ShardingStrategy
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch.utils.tensorboard import SummaryWriter
from torchvision import datasets, transforms
from torchvision.models.vision_transformer import EncoderBlock, vit_l_16


def wrapped(local):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={EncoderBlock})
    half = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16)
    return FSDP(
        vit_l_16(num_classes=1000),
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        auto_wrap_policy=policy,
        mixed_precision=half,
        sync_module_states=True,
        device_id=local,
    )


def images(batch_size):
    augment = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    rows = datasets.ImageFolder("/data/imagenet/train", augment)
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    return DataLoader(rows, batch_size, sampler=sampler, num_workers=8, pin_memory=True, drop_last=True), sampler


def gradient_norm(model):
    squares = [p.grad.detach().float().pow(2).sum() for p in model.parameters() if p.grad is not None]
    total = torch.stack(squares).sum()
    return total.sqrt()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.manual_seed(1)

    model = wrapped(local)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.3)
    loader, sampler = images(64)
    board = SummaryWriter("runs/vit") if rank == 0 else None
    step = 0
    for epoch in range(90):
        sampler.set_epoch(epoch)
        for pictures, labels in loader:
            pictures, labels = pictures.cuda(non_blocking=True), labels.cuda(non_blocking=True)
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            norm = gradient_norm(model)
            optimizer.step()
            step += 1
            if step % 20 == 0:
                mean = loss.detach().clone()
                dist.all_reduce(mean, op=dist.ReduceOp.AVG)
                if board is not None:
                    board.add_scalar("loss", mean.item(), step)
                    board.add_scalar("grad_norm", norm.item(), step)
    if board is not None:
        board.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
