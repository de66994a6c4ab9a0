"""Masked LM with FSDP1, one script."""
import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, MixedPrecision, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler
from transformers import BertConfig, BertForMaskedLM
from transformers.models.bert.modeling_bert import BertLayer


class Tokens(torch.utils.data.Dataset):
    def __init__(self, path, length=128):
        flat = torch.load(path, map_location="cpu", mmap=True)
        self.rows = flat[: len(flat) // length * length].view(-1, length)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i].long()


def mask_tokens(ids, mask_id=103, p=0.15):
    picked = torch.rand(ids.shape, device=ids.device) < p
    labels = ids.masked_fill(~picked, -100)
    return ids.masked_fill(picked, mask_id), labels


def build(lr):
    net = BertForMaskedLM(BertConfig(num_hidden_layers=24, hidden_size=1024, num_attention_heads=16))
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={BertLayer})
    bf16 = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = FSDP(
        net,
        auto_wrap_policy=policy,
        mixed_precision=bf16,
        device_id=torch.cuda.current_device(),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    return model, optimizer


def save(model, path):
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(True, True)):
        state = model.state_dict()
    if dist.get_rank() == 0:
        torch.save(state, path)


def main(epochs=3):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model, optimizer = build(1e-4)
    torch.manual_seed(dist.get_rank())
    data = Tokens(os.environ["TOKENS"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for ids in loader:
            inputs, labels = mask_tokens(ids.cuda(non_blocking=True))
            loss = model(input_ids=inputs, labels=labels).loss
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        save(model, f"mlm_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
