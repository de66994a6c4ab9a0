"""
Trains a small GPT on a folder of tokenised shards, on one device or with DDP:

    $ python train_gpt.py --config small.yaml
    $ torchrun --standalone --nproc_per_node=4 train_gpt.py
    $ torchrun --nnodes=2 --node_rank=$N --master_addr=$A --nproc_per_node=8 train_gpt.py
"""

import argparse
import glob
import inspect
import json
import math
import os
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import yaml
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


# -----------------------------------------------------------------------------
# model


@dataclass
class GPTConfig:
    block_size: int = 256
    vocab_size: int = 50304
    n_layer: int = 6
    n_head: int = 6
    n_embd: int = 384
    dropout: float = 0.0
    bias: bool = False


class LayerNorm(nn.Module):
    """LayerNorm with an optional bias."""

    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head = config.n_head
        self.dropout = config.dropout

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, config.bias)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                ln_f=LayerNorm(config.n_embd, config.bias),
            )
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        pos = torch.arange(0, idx.size(1), dtype=torch.long, device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    def configure_optimizers(self, weight_decay, learning_rate, betas, device_type):
        params = [p for p in self.parameters() if p.requires_grad]
        groups = [
            {"params": [p for p in params if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
        ]
        fused = "fused" in inspect.signature(torch.optim.AdamW).parameters and device_type == "cuda"
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, **(dict(fused=True) if fused else {}))


# -----------------------------------------------------------------------------
# data


class ShardedTokens:
    """Reads fixed windows from binary shards; every process goes its own way through them."""

    def __init__(self, pattern, batch_size, block_size, process_rank, num_processes):
        self.B, self.T = batch_size, block_size
        self.process_rank, self.num_processes = process_rank, num_processes
        self.files = sorted(glob.glob(pattern))
        assert self.files, f"no shards match {pattern}"
        self.reset()

    def reset(self):
        self.current_shard = 0
        self.current_position = self.process_rank * self.B * self.T
        self.tokens = np.memmap(self.files[0], dtype=np.uint16, mode="r")

    def advance(self):
        self.current_shard = (self.current_shard + 1) % len(self.files)
        self.current_position = self.process_rank * self.B * self.T
        self.tokens = np.memmap(self.files[self.current_shard], dtype=np.uint16, mode="r")

    def next_batch(self):
        B, T = self.B, self.T
        buf = self.tokens[self.current_position : self.current_position + B * T + 1]
        buf = torch.tensor(buf.astype(np.int32), dtype=torch.long)
        x, y = buf[:-1].view(B, T), buf[1:].view(B, T)
        self.current_position += B * T * self.num_processes
        if self.current_position + (B * T * self.num_processes + 1) > len(self.tokens):
            self.advance()
        return x, y


# -----------------------------------------------------------------------------
# settings


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--config", default=None, help="yaml file whose entries become defaults")
    p.add_argument("--out_dir", default="out")
    p.add_argument("--data_root", default="data/fineweb")
    p.add_argument("--eval_interval", type=int, default=250)
    p.add_argument("--eval_iters", type=int, default=20)
    p.add_argument("--log_interval", type=int, default=10)
    p.add_argument("--init_from", default="scratch", choices=["scratch", "resume"])
    p.add_argument("--batch_size", type=int, default=16)
    p.add_argument("--gradient_accumulation_steps", type=int, default=16)
    p.add_argument("--block_size", type=int, default=256)
    p.add_argument("--max_iters", type=int, default=5000)
    p.add_argument("--max_hours", type=float, default=0.0)
    p.add_argument("--learning_rate", type=float, default=6e-4)
    p.add_argument("--min_lr", type=float, default=6e-5)
    p.add_argument("--warmup_iters", type=int, default=200)
    p.add_argument("--weight_decay", type=float, default=0.1)
    p.add_argument("--grad_clip", type=float, default=1.0)
    p.add_argument("--dropout", type=float, default=0.0)
    p.add_argument("--compile", action="store_true")
    p.add_argument("--seed", type=int, default=1337)
    args = p.parse_args()
    if args.config:
        with open(args.config) as f:
            p.set_defaults(**yaml.safe_load(f))
        args = p.parse_args()
    return args


def get_lr(it, args):
    if it < args.warmup_iters:
        return args.learning_rate * (it + 1) / args.warmup_iters
    ratio = min(1.0, (it - args.warmup_iters) / max(1, args.max_iters - args.warmup_iters))
    return args.min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (args.learning_rate - args.min_lr)


# -----------------------------------------------------------------------------
# training


def main():
    args = parse_args()
    ddp = int(os.environ.get("RANK", -1)) != -1
    if ddp:
        dist.init_process_group(backend="nccl")
        ddp_rank = int(os.environ["RANK"])
        ddp_local_rank = int(os.environ["LOCAL_RANK"])
        ddp_world_size = int(os.environ["WORLD_SIZE"])
        device = f"cuda:{ddp_local_rank}"
        torch.cuda.set_device(device)
        master_process = ddp_rank == 0
        assert args.gradient_accumulation_steps % ddp_world_size == 0
        args.gradient_accumulation_steps //= ddp_world_size
    else:
        ddp_rank, ddp_local_rank, ddp_world_size = 0, 0, 1
        master_process = True
        device = "cuda" if torch.cuda.is_available() else "cpu"
    device_type = "cuda" if "cuda" in device else "cpu"
    if master_process:
        os.makedirs(args.out_dir, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    ctx = nullcontext() if device_type == "cpu" else torch.amp.autocast(device_type=device_type, dtype=torch.bfloat16)

    train_data = ShardedTokens(f"{args.data_root}/train_*.bin", args.batch_size, args.block_size, ddp_rank, ddp_world_size)
    val_data = ShardedTokens(f"{args.data_root}/val_*.bin", args.batch_size, args.block_size, ddp_rank, ddp_world_size)

    config = GPTConfig(block_size=args.block_size, dropout=args.dropout)
    model = GPT(config).to(device)
    optimizer = model.configure_optimizers(args.weight_decay, args.learning_rate, (0.9, 0.95), device_type)
    iter_num, best_val_loss = 0, 1e9
    ckpt_path = os.path.join(args.out_dir, "ckpt.pt")
    if args.init_from == "resume":
        checkpoint = torch.load(ckpt_path, map_location=device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        iter_num, best_val_loss = checkpoint["iter_num"], checkpoint["best_val_loss"]
    if args.compile:
        model = torch.compile(model)
    if ddp:
        model = DDP(model, device_ids=[ddp_local_rank])
    raw_model = model.module if ddp else model

    @torch.no_grad()
    def estimate_loss():
        model.eval()
        val_data.reset()
        total = torch.zeros(1, device=device)
        for _ in range(args.eval_iters):
            x, y = val_data.next_batch()
            with ctx:
                _, loss = model(x.to(device), y.to(device))
            total += loss / args.eval_iters
        if ddp:
            dist.all_reduce(total, op=dist.ReduceOp.AVG)
        model.train()
        return total.item()

    def out_of_time(started):
        if args.max_hours <= 0:
            return False
        over = torch.tensor([float(time.time() - started > 3600 * args.max_hours)], device=device)
        if ddp:
            dist.broadcast(over, src=0)
        return bool(over.item())

    def save_checkpoint(name, extra):
        if master_process:
            state = {"model": raw_model.state_dict(), "optimizer": optimizer.state_dict(), "config": asdict(config)}
            torch.save({**state, **extra}, os.path.join(args.out_dir, name))

    log_path = os.path.join(args.out_dir, "log.jsonl")
    started = t0 = time.time()
    while True:
        lr = get_lr(iter_num, args)
        for param_group in optimizer.param_groups:
            param_group["lr"] = lr

        if iter_num % args.eval_interval == 0:
            val_loss = estimate_loss()
            if master_process:
                with open(log_path, "a") as f:
                    f.write(json.dumps({"iter": iter_num, "val": val_loss, "lr": lr}) + "\n")
            if val_loss < best_val_loss:
                best_val_loss = val_loss
                save_checkpoint("ckpt.pt", {"iter_num": iter_num, "best_val_loss": best_val_loss})

        for micro_step in range(args.gradient_accumulation_steps):
            x, y = train_data.next_batch()
            if ddp:
                model.require_backward_grad_sync = micro_step == args.gradient_accumulation_steps - 1
            with ctx:
                _, loss = model(x.to(device), y.to(device))
                loss = loss / args.gradient_accumulation_steps
            loss.backward()
        if args.grad_clip != 0.0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.grad_clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

        if iter_num % args.log_interval == 0 and master_process:
            t1 = time.time()
            print(f"iter {iter_num}: time {(t1 - t0) * 1000 / args.log_interval:.1f} ms, lr {lr:.2e}")
            t0 = t1
        iter_num += 1
        if iter_num > args.max_iters or out_of_time(started):
            break

    save_checkpoint("last.pt", {"iter_num": iter_num, "best_val_loss": best_val_loss})
    if ddp:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
