import argparse
import os


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local-rank", type=int, default=int(os.environ.get("LOCAL_RANK", -1)))
    parser.add_argument("--lora-rank", type=int, default=0)
    parser.add_argument("--average-every", type=int, default=4)
    args = parser.parse_args()
    args.distributed = args.local_rank != -1
    args.world_size = int(os.environ.get("WORLD_SIZE", 1))
    return args
