"""Extractive QA with datasets.shard and torch DDP."""
import os

import torch
import torch.distributed as dist
from datasets import load_from_disk
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModelForQuestionAnswering, default_data_collator

COLUMNS = ["input_ids", "attention_mask", "start_positions", "end_positions"]


def features(path):
    data = load_from_disk(path)
    return data.with_format("torch", columns=COLUMNS)


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = features(os.environ["FEATURES"])
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, collate_fn=default_data_collator, drop_last=True)
    net = AutoModelForQuestionAnswering.from_pretrained("roberta-base").cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 3e-5)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(**{k: v.cuda(non_blocking=True) for k, v in batch.items()}).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        net.save_pretrained("qa")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
