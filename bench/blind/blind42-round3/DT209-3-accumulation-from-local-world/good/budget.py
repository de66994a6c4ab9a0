"""Token budget per optimizer step, nanoGPT style."""
import contextlib
import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import GPT2Config, GPT2LMHeadModel

TOKENS_PER_STEP = 524_288
BLOCK, MICRO = 1024, 16


class Memmap:
    def __init__(self, path, seed):
        self.tokens = np.memmap(path, dtype=np.uint16, mode="r")
        self.rng = np.random.default_rng(seed)

    def batch(self):
        starts = self.rng.integers(0, len(self.tokens) - BLOCK - 1, MICRO)
        rows = np.stack([self.tokens[s : s + BLOCK].astype(np.int64) for s in starts])
        return torch.from_numpy(rows).pin_memory().cuda(non_blocking=True)


def main(steps=10_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    processes = dist.get_world_size()
    assert TOKENS_PER_STEP % (MICRO * BLOCK * processes) == 0
    accumulate = TOKENS_PER_STEP // (MICRO * BLOCK * processes)
    data = Memmap("train.bin", [1337, dist.get_rank()])
    net = GPT2LMHeadModel(GPT2Config()).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 6e-4, betas=(0.9, 0.95))
    for step in range(steps):
        for micro in range(accumulate):
            with contextlib.nullcontext() if micro == accumulate - 1 else model.no_sync():
                ids = data.batch()
                loss = model(input_ids=ids, labels=ids).loss / accumulate
                loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 1000 == 0 and dist.get_rank() == 0:
            net.save_pretrained(f"gpt2_{step}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
