import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-steps", type=int, default=60)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--clip", type=float, default=1.0)
    return parser.parse_args()


def main():
    args = arguments()
    device = start()
    torch.manual_seed(0)
    precision = MixedPrecision(param_dtype=torch.bfloat16) if args.bf16 else None
    net = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 20)).to(device)
    model = FSDP(net, mixed_precision=precision)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(480, 20, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, seed=8, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    done, epoch = 0, 0
    while done < args.max_steps:
        for (rows,) in loader:
            rows = rows.to(device)
            loss = F.mse_loss(model(rows), rows)
            loss.backward()
            model.clip_grad_norm_(args.clip)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            done += 1
            if done == args.max_steps:
                break
        epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
