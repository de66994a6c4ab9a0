import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from transformers import OPTConfig, OPTForCausalLM
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from steps import Step

BF16 = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, buffer_dtype=torch.bfloat16)


def wrap(model, device):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={OPTDecoderLayer})
    return FSDP(model, auto_wrap_policy=policy, mixed_precision=BF16, device_id=device, use_orig_params=True, limit_all_gathers=True)


def sequences(n=10_000, length=256, vocab=50272):
    return TensorDataset(torch.randint(vocab, (n, length), generator=torch.Generator().manual_seed(1)))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = wrap(OPTForCausalLM(OPTConfig(num_hidden_layers=12)), torch.device("cuda", local_rank))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    data = sequences()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=4, sampler=sampler, drop_last=True)
    step = Step(optimizer, torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=200))
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for number, (ids,) in enumerate(loader):
            ids = ids.cuda(non_blocking=True)
            norm = step(model, model(input_ids=ids, labels=ids).loss)
            if number % 50 == 0 and dist.get_rank() == 0:
                print(f"{epoch}:{number} |g| {norm.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
