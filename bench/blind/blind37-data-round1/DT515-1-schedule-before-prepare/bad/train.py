import math
from argparse import ArgumentParser

import torch
import torch.nn.functional as F
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import set_seed
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import vit_b_16
from torchvision.transforms import v2


def warmup_cosine(optimizer, warmup, total, floor=0.01):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        done = min(1.0, (step - warmup) / max(1, total - warmup))
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done))

    return LambdaLR(optimizer, factor)


def pictures(root, size, train):
    steps = [v2.RandomResizedCrop(size), v2.RandAugment()] if train else [v2.Resize(size), v2.CenterCrop(size)]
    return ImageFolder(root, v2.Compose([*steps, v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]))


@torch.no_grad()
def top1(accelerator, model, loader):
    model.eval()
    hits, seen = 0, 0
    for x, y in loader:
        guess, y = accelerator.gather_for_metrics((model(x).argmax(-1), y))
        hits += (guess == y).sum().item()
        seen += y.numel()
    model.train()
    return hits / seen


def main():
    parser = ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    accelerator = Accelerator(
        mixed_precision="bf16", log_with="tensorboard", project_dir="logs", kwargs_handlers=[DistributedDataParallelKwargs(bucket_cap_mb=64)]
    )
    set_seed(21)
    accelerator.init_trackers("vit", config=vars(args))
    train = DataLoader(
        pictures(f"{args.root}/train", 224, True), batch_size=args.batch_size, shuffle=True, num_workers=8, drop_last=True
    )
    val = DataLoader(pictures(f"{args.root}/val", 224, False), batch_size=args.batch_size, num_workers=8)
    model = vit_b_16(num_classes=100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
    total = args.epochs * len(train)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    schedule = warmup_cosine(optimizer, total // 20, total)

    for epoch in range(args.epochs):
        for x, y in train:
            loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        accelerator.log({"top1": top1(accelerator, model, val), "lr": schedule.get_last_lr()[0]}, step=epoch)
        accelerator.save_state(f"logs/state{epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
