import itertools
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

from text.stream import Text


def main(steps=1000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = Text("allenai/c4", "gpt2", 256).stream(0, dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=8, num_workers=2)
    model = DDP(AutoModelForCausalLM.from_pretrained("gpt2").cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for batch in itertools.islice(loader, steps):
        ids = batch["ids"].cuda()
        logits = model(ids).logits
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    if dist.get_rank() == 0:
        model.module.save_pretrained("out")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
