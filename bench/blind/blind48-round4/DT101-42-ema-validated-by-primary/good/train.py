#!/usr/bin/env python3
"""Image classification training in one script: argparse over YAML, DDP by torchrun, EMA, mixup, resume, top-k savers."""

import argparse
import csv
import logging
import os
import time
from collections import OrderedDict
from copy import deepcopy
from datetime import datetime

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import yaml
from torch.nn.parallel import DistributedDataParallel as NativeDDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, transforms

_logger = logging.getLogger("train")

config_parser = parser = argparse.ArgumentParser(description="Training Config", add_help=False)
parser.add_argument("-c", "--config", default="", type=str, metavar="FILE", help="YAML config file")

parser = argparse.ArgumentParser(description="ImageNet training")
parser.add_argument("data_dir", metavar="DIR", help="path to dataset")
parser.add_argument("--num-classes", type=int, default=1000)
parser.add_argument("--img-size", type=int, default=224)
parser.add_argument("-b", "--batch-size", type=int, default=128, help="per process")
parser.add_argument("--epochs", type=int, default=90)
parser.add_argument("--warmup-epochs", type=int, default=5)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--weight-decay", type=float, default=1e-4)
parser.add_argument("--clip-grad", type=float, default=None)
parser.add_argument("--grad-accum-steps", type=int, default=1)
parser.add_argument("--smoothing", type=float, default=0.1)
parser.add_argument("--mixup", type=float, default=0.0)
parser.add_argument("--model-ema", action="store_true")
parser.add_argument("--model-ema-decay", type=float, default=0.9998)
parser.add_argument("--sync-bn", action="store_true")
parser.add_argument("--resume", default="", type=str)
parser.add_argument("--output", default="", type=str)
parser.add_argument("--experiment", default="", type=str)
parser.add_argument("--checkpoint-hist", type=int, default=3)
parser.add_argument("--log-interval", type=int, default=50)
parser.add_argument("-j", "--workers", type=int, default=4)
parser.add_argument("--seed", type=int, default=42)
parser.add_argument("--local-rank", default=0, type=int)


def _parse_args():
    args_config, remaining = config_parser.parse_known_args()
    if args_config.config:
        with open(args_config.config) as f:
            parser.set_defaults(**yaml.safe_load(f))
    args = parser.parse_args(remaining)
    return args, yaml.safe_dump(args.__dict__, default_flow_style=False)


def is_primary(args):
    return args.rank == 0


def init_distributed_device(args):
    args.distributed = int(os.environ.get("WORLD_SIZE", 1)) > 1
    args.rank, args.world_size = 0, 1
    if args.distributed:
        args.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(args.local_rank)
        dist.init_process_group(backend="nccl", init_method="env://")
        args.rank, args.world_size = dist.get_rank(), dist.get_world_size()
    return torch.device("cuda", args.local_rank) if torch.cuda.is_available() else torch.device("cpu")


def random_seed(seed=42, rank=0):
    torch.manual_seed(seed + rank)


def reduce_tensor(tensor, n):
    rt = tensor.clone()
    dist.all_reduce(rt, op=dist.ReduceOp.SUM)
    rt /= n
    return rt


class AverageMeter:
    def __init__(self):
        self.sum, self.count, self.avg = 0.0, 0, 0.0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


class ModelEma:
    def __init__(self, model, decay):
        self.module = deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            if ema_v.dtype.is_floating_point:
                ema_v.lerp_(model_v, 1.0 - self.decay)
            else:
                ema_v.copy_(model_v)


class CheckpointSaver:
    """Keeps the best few checkpoints; lives on the primary process alone."""

    def __init__(self, model, optimizer, args, checkpoint_dir, model_ema=None, max_history=3):
        self.model, self.optimizer, self.args, self.model_ema = model, optimizer, args, model_ema
        self.checkpoint_dir, self.max_history = checkpoint_dir, max_history
        self.checkpoint_files, self.best_epoch, self.best_metric = [], None, None

    def save_checkpoint(self, epoch, metric):
        path = os.path.join(self.checkpoint_dir, f"checkpoint-{epoch}.pth.tar")
        state = {"epoch": epoch, "state_dict": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        if self.model_ema is not None:
            state["state_dict_ema"] = self.model_ema.module.state_dict()
        torch.save(state, path)
        self.checkpoint_files.append((path, metric))
        self.checkpoint_files.sort(key=lambda x: x[1], reverse=True)
        for stale, _ in self.checkpoint_files[self.max_history :]:
            os.remove(stale)
        self.checkpoint_files = self.checkpoint_files[: self.max_history]
        if self.best_metric is None or metric > self.best_metric:
            self.best_epoch, self.best_metric = epoch, metric
        return self.best_metric, self.best_epoch


class ConvNet(nn.Module):
    def __init__(self, num_classes, width=64):
        super().__init__()
        layers, channels = [], 3
        for i in range(4):
            out = width * 2**i
            layers += [nn.Conv2d(channels, out, 3, 2, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)]
            channels = out
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(channels, num_classes)

    def forward(self, x):
        return self.head(self.features(x).mean(dim=(2, 3)))


def create_loader(root, args, is_training):
    normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    if is_training:
        tfs = [transforms.RandomResizedCrop(args.img_size), transforms.RandomHorizontalFlip()]
    else:
        tfs = [transforms.Resize(int(args.img_size * 1.14)), transforms.CenterCrop(args.img_size)]
    dataset = datasets.ImageFolder(root, transforms.Compose([*tfs, transforms.ToTensor(), normalize]))
    sampler = None
    if args.distributed:
        sampler = DistributedSampler(dataset, shuffle=is_training)
    return DataLoader(
        dataset,
        batch_size=args.batch_size,
        shuffle=sampler is None and is_training,
        sampler=sampler,
        num_workers=args.workers,
        pin_memory=True,
        drop_last=is_training,
        persistent_workers=args.workers > 0,
    )


def mixup(x, y, args):
    target = F.one_hot(y, args.num_classes).float()
    if args.mixup <= 0:
        return x, target
    lam = torch.distributions.Beta(args.mixup, args.mixup).sample().item()
    perm = torch.randperm(len(x), device=x.device)
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]


def train_one_epoch(epoch, model, loader, optimizer, scheduler, args, device, model_ema=None):
    losses_m, batch_time_m = AverageMeter(), AverageMeter()
    model.train()
    accum_steps = args.grad_accum_steps
    last_idx = len(loader) // accum_steps * accum_steps - 1
    end = time.time()
    optimizer.zero_grad()
    for batch_idx, (x, y) in enumerate(loader):
        if batch_idx > last_idx:
            break
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        x, target = mixup(x, y, args)
        need_update = (batch_idx + 1) % accum_steps == 0

        def _forward_backward():
            output = model(x)
            loss = torch.sum(-target * F.log_softmax(output, dim=-1), dim=-1).mean() / accum_steps
            loss.backward()
            return loss

        if args.distributed and not need_update:
            with model.no_sync():
                loss = _forward_backward()
        else:
            loss = _forward_backward()
        if not need_update:
            continue
        if args.clip_grad is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad)
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
        if model_ema is not None:
            model_ema.update(model.module if args.distributed else model)
        batch_time_m.update(time.time() - end)
        end = time.time()
        if batch_idx % args.log_interval < accum_steps:
            reduced_loss = loss.detach() * accum_steps
            if args.distributed:
                reduced_loss = reduce_tensor(reduced_loss, args.world_size)
            losses_m.update(reduced_loss.item(), len(x))
            if is_primary(args):
                _logger.info("Train: %d [%d/%d] Loss: %.4f (%.4f)", epoch, batch_idx, len(loader), reduced_loss, losses_m.avg)
    return OrderedDict([("loss", losses_m.avg)])


@torch.no_grad()
def validate(model, loader, args, device):
    model.eval()
    totals = torch.zeros(3, device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        output = model(x)
        totals[0] += F.cross_entropy(output, y, reduction="sum")
        totals[1] += (output.argmax(dim=1) == y).sum()
        totals[2] += len(y)
    if args.distributed:
        dist.all_reduce(totals)
    loss, top1 = (totals[:2] / totals[2]).tolist()
    return OrderedDict([("loss", loss), ("top1", 100.0 * top1)])


def update_summary(epoch, train_metrics, eval_metrics, filename, write_header):
    row = OrderedDict(epoch=epoch)
    row.update(("train_" + k, v) for k, v in train_metrics.items())
    row.update(("eval_" + k, v) for k, v in eval_metrics.items())
    with open(filename, mode="a") as cf:
        dw = csv.DictWriter(cf, fieldnames=row.keys())
        if write_header:
            dw.writeheader()
        dw.writerow(row)


def main():
    args, args_text = _parse_args()
    device = init_distributed_device(args)
    logging.basicConfig(level=logging.INFO if is_primary(args) else logging.WARNING)
    random_seed(args.seed, args.rank)
    model = ConvNet(args.num_classes).to(device)
    if args.distributed and args.sync_bn:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=args.weight_decay)
    start_epoch = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start_epoch = checkpoint["epoch"] + 1
    if args.distributed:
        model = NativeDDP(model, device_ids=[args.local_rank])
    raw_model = model.module if args.distributed else model
    model_ema = ModelEma(raw_model, args.model_ema_decay) if args.model_ema else None
    loader_train = create_loader(os.path.join(args.data_dir, "train"), args, is_training=True)
    loader_eval = create_loader(os.path.join(args.data_dir, "val"), args, is_training=False)
    updates_per_epoch = len(loader_train) // args.grad_accum_steps
    scheduler = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, 1.0, args.warmup_epochs * updates_per_epoch),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, (args.epochs - args.warmup_epochs) * updates_per_epoch),
        ],
        [args.warmup_epochs * updates_per_epoch],
    )
    saver, output_dir, best_metric = None, None, None
    if is_primary(args):
        exp_name = args.experiment or datetime.now().strftime("%Y%m%d-%H%M%S")
        output_dir = os.path.join(args.output or "./output/train", exp_name)
        os.makedirs(output_dir, exist_ok=True)
        saver = CheckpointSaver(raw_model, optimizer, args, output_dir, model_ema, args.checkpoint_hist)
        with open(os.path.join(output_dir, "args.yaml"), "w") as f:
            f.write(args_text)
    for epoch in range(start_epoch, args.epochs):
        if args.distributed:
            loader_train.sampler.set_epoch(epoch)
        train_metrics = train_one_epoch(epoch, model, loader_train, optimizer, scheduler, args, device, model_ema)
        eval_metrics = validate(model, loader_eval, args, device)
        if model_ema is not None:
            eval_metrics = validate(model_ema.module, loader_eval, args, device)
        if output_dir is not None:
            update_summary(
                epoch, train_metrics, eval_metrics, os.path.join(output_dir, "summary.csv"), write_header=best_metric is None
            )
        if saver is not None:
            best_metric, best_epoch = saver.save_checkpoint(epoch, metric=eval_metrics["top1"])
            _logger.info("*** Best metric: %.3f (epoch %d)", best_metric, best_epoch)
    if args.distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
