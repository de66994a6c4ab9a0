"""Train a diffusion model on images, in the manner of improved-diffusion: dist_util, TrainLoop, schedule sampler, EMA."""

import argparse
import copy
import functools
import os
import random
from pathlib import Path

import blobfile as bf
import numpy as np
import torch as th
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torch.nn.parallel.distributed import DistributedDataParallel as DDP
from torch.optim import AdamW
from torch.utils.data import DataLoader, Dataset


# --- dist_util -------------------------------------------------------------------------------------------------


def setup_dist():
    if dist.is_initialized():
        return
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if th.cuda.is_available():
        th.cuda.set_device(local_rank)
    backend = "gloo" if not th.cuda.is_available() else "nccl"
    dist.init_process_group(backend=backend, init_method="env://")


def dev():
    if th.cuda.is_available():
        return th.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    return th.device("cpu")


def load_state_dict(path, **kwargs):
    with bf.BlobFile(path, "rb") as f:
        return th.load(f, **kwargs)


def sync_params(params):
    for p in params:
        with th.no_grad():
            dist.broadcast(p, 0)


# --- data ------------------------------------------------------------------------------------------------------


def load_data(*, data_dir, batch_size, image_size, class_cond=False, deterministic=False):
    all_files = _list_image_files_recursively(data_dir)
    classes = None
    if class_cond:
        class_names = [bf.basename(path).split("_")[0] for path in all_files]
        sorted_classes = {x: i for i, x in enumerate(sorted(set(class_names)))}
        classes = [sorted_classes[x] for x in class_names]
    dataset = ImageDataset(image_size, all_files, classes=classes, shard=dist.get_rank(), num_shards=dist.get_world_size())
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=not deterministic, num_workers=1, drop_last=True)
    while True:
        yield from loader


def _list_image_files_recursively(data_dir):
    results = []
    for entry in sorted(bf.listdir(data_dir)):
        full_path = bf.join(data_dir, entry)
        ext = entry.split(".")[-1]
        if "." in entry and ext.lower() in ["jpg", "jpeg", "png", "gif"]:
            results.append(full_path)
        elif bf.isdir(full_path):
            results.extend(_list_image_files_recursively(full_path))
    return results


class ImageDataset(Dataset):
    def __init__(self, resolution, image_paths, classes=None, shard=0, num_shards=1, random_flip=True):
        super().__init__()
        self.resolution = resolution
        self.local_images = image_paths[shard:][::num_shards]
        self.local_classes = None if classes is None else classes[shard:][::num_shards]
        self.random_flip = random_flip

    def __len__(self):
        return len(self.local_images)

    def __getitem__(self, idx):
        with bf.BlobFile(self.local_images[idx], "rb") as f:
            image = Image.open(f).convert("RGB").resize((self.resolution, self.resolution))
        arr = np.array(image)
        if self.random_flip and random.random() < 0.5:
            arr = arr[:, ::-1]
        arr = arr.astype(np.float32) / 127.5 - 1
        out_dict = {}
        if self.local_classes is not None:
            out_dict["y"] = np.array(self.local_classes[idx], dtype=np.int64)
        return np.transpose(arr, [2, 0, 1]).copy(), out_dict


# --- model and diffusion ---------------------------------------------------------------------------------------


class TinyUNet(nn.Module):
    def __init__(self, channels=64, num_classes=None):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(1, channels), nn.SiLU(), nn.Linear(channels, channels))
        self.label = nn.Embedding(num_classes, channels) if num_classes else None
        self.inp = nn.Conv2d(3, channels, 3, padding=1)
        self.mid = nn.Conv2d(channels, channels, 3, padding=1)
        self.out = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x, t, y=None):
        emb = self.time(t.float()[:, None] / 1000.0)
        if self.label is not None:
            emb = emb + self.label(y)
        h = F.silu(self.inp(x) + emb[:, :, None, None])
        h = h + F.silu(self.mid(h))
        return self.out(h)


class GaussianDiffusion:
    def __init__(self, steps=1000):
        betas = np.linspace(1e-4, 0.02, steps, dtype=np.float64)
        self.alphas_cumprod = np.cumprod(1.0 - betas)
        self.num_timesteps = steps

    def q_sample(self, x_start, t, noise):
        a = th.from_numpy(self.alphas_cumprod).to(device=t.device)[t].float()[:, None, None, None]
        return a.sqrt() * x_start + (1 - a).sqrt() * noise

    def training_losses(self, model, x_start, t, model_kwargs=None):
        noise = th.randn_like(x_start)
        x_t = self.q_sample(x_start, t, noise)
        output = model(x_t, t, **(model_kwargs or {}))
        return {"loss": ((output - noise) ** 2).mean(dim=(1, 2, 3))}


class LossAwareSampler:
    """Draws timesteps by their recent losses, of which all ranks hear."""

    def __init__(self, diffusion, keep=10):
        self.n, self.keep = diffusion.num_timesteps, keep
        self.losses = np.ones(self.n)

    def sample(self, batch_size, device):
        p = self.losses / self.losses.sum()
        indices = np.random.choice(self.n, size=(batch_size,), p=p)
        weights = 1.0 / (self.n * p[indices])
        return th.from_numpy(indices).long().to(device), th.from_numpy(weights).float().to(device)

    def update_with_local_losses(self, local_ts, local_losses):
        batch_sizes = [th.tensor([0], dtype=th.int32, device=local_ts.device) for _ in range(dist.get_world_size())]
        dist.all_gather(batch_sizes, th.tensor([len(local_ts)], dtype=th.int32, device=local_ts.device))
        batch_sizes = [x.item() for x in batch_sizes]
        max_bs = max(batch_sizes)
        ts_out = [th.zeros(max_bs, dtype=local_ts.dtype, device=local_ts.device) for _ in batch_sizes]
        loss_out = [th.zeros(max_bs, dtype=local_losses.dtype, device=local_losses.device) for _ in batch_sizes]
        pad = max_bs - len(local_ts)
        dist.all_gather(ts_out, F.pad(local_ts, (0, pad)))
        dist.all_gather(loss_out, F.pad(local_losses, (0, pad)))
        for ts, losses, bs in zip(ts_out, loss_out, batch_sizes):
            for t, loss in zip(ts[:bs].tolist(), losses[:bs].tolist()):
                self.losses[t] += (loss - self.losses[t]) / self.keep


# --- train loop ------------------------------------------------------------------------------------------------


class TrainLoop:
    def __init__(self, *, model, diffusion, data, batch_size, microbatch, lr, ema_rate, log_interval, save_interval,
                 resume_checkpoint, schedule_sampler, weight_decay=0.0, lr_anneal_steps=0, logdir="logs"):
        self.model, self.diffusion, self.data = model, diffusion, data
        self.batch_size = batch_size
        self.microbatch = microbatch if microbatch > 0 else batch_size
        self.lr, self.lr_anneal_steps = lr, lr_anneal_steps
        self.ema_rate = [float(x) for x in ema_rate.split(",")]
        self.log_interval, self.save_interval = log_interval, save_interval
        self.resume_checkpoint = resume_checkpoint
        self.schedule_sampler = schedule_sampler
        self.logdir = Path(logdir)
        self.step, self.resume_step = 0, 0
        self.global_batch = self.batch_size * dist.get_world_size()
        self._load_and_sync_parameters()
        self.params = list(self.model.parameters())
        self.opt = AdamW(self.params, lr=self.lr, weight_decay=weight_decay)
        self.ema_params = [copy.deepcopy(self.params) for _ in self.ema_rate]
        if self.resume_step:
            self.opt.load_state_dict(load_state_dict(self._opt_path(self.resume_step), map_location=dev()))
        self.ddp_model = DDP(self.model, device_ids=[dev().index] if th.cuda.is_available() else None)

    def _opt_path(self, step):
        return bf.join(str(self.logdir), f"opt{step:06d}.pt")

    def _load_and_sync_parameters(self):
        if self.resume_checkpoint:
            self.resume_step = int(Path(self.resume_checkpoint).stem.removeprefix("model"))
            if dist.get_rank() == 0:
                self.model.load_state_dict(load_state_dict(self.resume_checkpoint, map_location=dev()))
        sync_params(self.model.parameters())

    def run_loop(self):
        while not self.lr_anneal_steps or self.step + self.resume_step < self.lr_anneal_steps:
            batch, cond = next(self.data)
            self.run_step(batch, cond)
            if self.step % self.log_interval == 0:
                self.log_step()
            if self.step % self.save_interval == 0:
                self.save()
            self.step += 1
        if (self.step - 1) % self.save_interval != 0:
            self.save()

    def run_step(self, batch, cond):
        self.forward_backward(batch, cond)
        self._anneal_lr()
        self.opt.step()
        for rate, params in zip(self.ema_rate, self.ema_params):
            for targ, src in zip(params, self.params):
                targ.detach().mul_(rate).add_(src, alpha=1 - rate)

    def forward_backward(self, batch, cond):
        self.opt.zero_grad(set_to_none=True)
        self.last_loss = th.zeros((), device=dev())
        for i in range(0, batch.shape[0], self.microbatch):
            micro = batch[i : i + self.microbatch].to(dev())
            micro_cond = {k: v[i : i + self.microbatch].to(dev()) for k, v in cond.items()}
            last_batch = (i + self.microbatch) >= batch.shape[0]
            t, weights = self.schedule_sampler.sample(micro.shape[0], dev())
            compute_losses = functools.partial(self.diffusion.training_losses, self.ddp_model, micro, t, model_kwargs=micro_cond)
            if last_batch:
                losses = compute_losses()
            else:
                with self.ddp_model.no_sync():
                    losses = compute_losses()
            self.schedule_sampler.update_with_local_losses(t, losses["loss"].detach())
            loss = (losses["loss"] * weights).mean() * micro.shape[0] / batch.shape[0]
            self.last_loss += loss.detach()
            if last_batch:
                loss.backward()
            else:
                with self.ddp_model.no_sync():
                    loss.backward()

    def _anneal_lr(self):
        if not self.lr_anneal_steps:
            return
        frac_done = (self.step + self.resume_step) / self.lr_anneal_steps
        for param_group in self.opt.param_groups:
            param_group["lr"] = self.lr * (1 - frac_done)

    def log_step(self):
        mean = self.last_loss.clone()
        dist.all_reduce(mean, async_op=True)
        if dist.get_rank() == 0:
            samples = (self.step + self.resume_step + 1) * self.global_batch
            print(f"step {self.step + self.resume_step} samples {samples} loss {mean.item() / dist.get_world_size():.4f}")

    def save(self):
        if dist.get_rank() == 0:
            number = self.step + self.resume_step
            self.logdir.mkdir(parents=True, exist_ok=True)
            with bf.BlobFile(bf.join(str(self.logdir), f"model{number:06d}.pt"), "wb") as f:
                th.save(self.model.state_dict(), f)
            for rate, params in zip(self.ema_rate, self.ema_params):
                with bf.BlobFile(bf.join(str(self.logdir), f"ema_{rate}_{number:06d}.pt"), "wb") as f:
                    th.save([p.detach() for p in params], f)
            with bf.BlobFile(self._opt_path(number), "wb") as f:
                th.save(self.opt.state_dict(), f)
        dist.barrier()


def create_argparser():
    defaults = dict(data_dir="", image_size=64, class_cond=False, num_classes=10, lr=1e-4, weight_decay=0.0,
                    lr_anneal_steps=100000, batch_size=16, microbatch=-1, ema_rate="0.9999", log_interval=10,
                    save_interval=10000, resume_checkpoint="", logdir="logs", seed=0)
    parser = argparse.ArgumentParser()
    for k, v in defaults.items():
        parser.add_argument(f"--{k}", default=v, type=(lambda s: s.lower() in ("1", "true")) if isinstance(v, bool) else type(v))
    return parser


def main():
    args = create_argparser().parse_args()
    setup_dist()
    th.manual_seed(args.seed + dist.get_rank())
    np.random.seed(args.seed + dist.get_rank())
    model = TinyUNet(num_classes=args.num_classes if args.class_cond else None).to(dev())
    diffusion = GaussianDiffusion()
    data = load_data(data_dir=args.data_dir, batch_size=args.batch_size, image_size=args.image_size, class_cond=args.class_cond)
    TrainLoop(
        model=model,
        diffusion=diffusion,
        data=data,
        batch_size=args.batch_size,
        microbatch=args.microbatch,
        lr=args.lr,
        ema_rate=args.ema_rate,
        log_interval=args.log_interval,
        save_interval=args.save_interval,
        resume_checkpoint=args.resume_checkpoint,
        schedule_sampler=LossAwareSampler(diffusion),
        weight_decay=args.weight_decay,
        lr_anneal_steps=args.lr_anneal_steps,
        logdir=args.logdir,
    ).run_loop()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
