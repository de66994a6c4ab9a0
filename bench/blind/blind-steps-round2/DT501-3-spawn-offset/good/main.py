import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision


def worker(index, args):
    rank = args.node_rank * args.gpus + index
    world = args.nodes * args.gpus
    torch.cuda.set_device(index)
    dist.init_process_group("nccl", init_method=args.init, rank=rank, world_size=world)
    try:
        train(args, rank, index)
    finally:
        dist.destroy_process_group()


def train(args, rank, index):
    torch.manual_seed(args.seed)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(256, 256), nn.GELU()) for _ in range(6)], nn.Linear(256, 1))
    model = FullyShardedDataParallel(net, device_id=index, mixed_precision=MixedPrecision(param_dtype=torch.bfloat16))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    draw = torch.Generator(device="cuda").manual_seed(args.seed + rank)
    for _ in range(args.steps):
        x = torch.randn(args.batch, 256, generator=draw, device="cuda")
        optimizer.zero_grad(set_to_none=True)
        nn.functional.mse_loss(model(x), x.mean(1, keepdim=True)).backward()
        optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--node-rank", type=int, default=0)
    parser.add_argument("--gpus", type=int, default=torch.cuda.device_count())
    parser.add_argument("--init", default=f"tcp://{os.environ.get('HEAD', '127.0.0.1')}:23456")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    mp.spawn(worker, args=(args,), nprocs=args.gpus)


if __name__ == "__main__":
    main()
