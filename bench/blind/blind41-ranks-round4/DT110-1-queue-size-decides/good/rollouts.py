import os
import queue
import threading

import torch
import torch.distributed as dist


def play(box, seed):
    gen = torch.Generator().manual_seed(seed)
    while True:
        box.put(torch.rand(4, generator=gen).sum().item())


def main(rounds=100):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    box = queue.Queue(maxsize=256)
    threading.Thread(target=play, args=(box, dist.get_rank()), daemon=True).start()
    returns = []
    for _ in range(rounds):
        returns.append(box.get())
        ready = len(returns) % 64 == 0
        if ready:
            mean = torch.tensor(sum(returns) / len(returns), device="cuda")
            dist.all_reduce(mean, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print("mean return", mean.item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
