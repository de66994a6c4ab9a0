import os

import torch
import torch.distributed as dist


def route(tokens, expert):
    world = dist.get_world_size()
    order = expert.argsort()
    going = torch.bincount(expert, minlength=world)
    coming = torch.empty_like(going)
    dist.all_to_all_single(coming, going)
    out = tokens.new_empty(int(coming.sum()), tokens.shape[1])
    dist.all_to_all_single(out, tokens[order], coming.tolist(), going.tolist())
    return out, coming


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    tokens = torch.randn(100, 16, generator=gen, device="cuda")
    expert = torch.randint(0, dist.get_world_size(), (100,), generator=gen, device="cuda")
    out, _ = route(tokens, expert)
    print(dist.get_rank(), out.shape[0])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
