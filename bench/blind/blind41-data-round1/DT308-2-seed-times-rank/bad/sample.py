import argparse
import os

import torch
import torch.distributed as dist
from diffusers import DDPMPipeline


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-rank", type=int, default=64)
    parser.add_argument("--out", default="samples")
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    pipe = DDPMPipeline.from_pretrained("google/ddpm-cifar10-32").to("cuda")
    generator = torch.Generator("cuda").manual_seed(args.seed * rank)
    os.makedirs(args.out, exist_ok=True)
    for start in range(0, args.per_rank, 16):
        images = pipe(batch_size=16, generator=generator).images
        for i, image in enumerate(images):
            image.save(os.path.join(args.out, f"{rank:03d}-{start + i:05d}.png"))
    dist.barrier()
    if rank == 0:
        print(len(os.listdir(args.out)), "images")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
