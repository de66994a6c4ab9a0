"""DeepSpeed ZeRO-3 with HF model; gathered parameters; 16-bit save by all ranks; eval with gather."""
import argparse
import json
import os

import deepspeed
import torch
from deepspeed import comm as dist
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer


def config(args, world):
    return {
        "train_batch_size": args.batch * args.accumulation * world,
        "train_micro_batch_size_per_gpu": args.batch,
        "gradient_accumulation_steps": args.accumulation,
        "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True},
        "bf16": {"enabled": True},
        "optimizer": {"type": "AdamW", "params": {"lr": args.lr}},
        "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100}},
    }


class Lines(torch.utils.data.Dataset):
    def __init__(self, path, tokenizer, length):
        with open(path) as f:
            self.rows = [json.loads(line)["text"] for line in f]
        self.tokenizer, self.length = tokenizer, length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        out = self.tokenizer(self.rows[i], truncation=True, max_length=self.length, padding="max_length", return_tensors="pt")
        return {k: v[0] for k, v in out.items()}


def embedding_norm(model):
    weight = model.get_input_embeddings().weight
    with deepspeed.zero.GatheredParameters([weight], modifier_rank=None):
        return weight.float().norm().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="facebook/opt-1.3b")
    p.add_argument("--local_rank", type=int, default=-1)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--accumulation", type=int, default=2)
    p.add_argument("--lr", type=float, default=1e-5)
    p.add_argument("--out", default="opt")
    args = p.parse_args()
    deepspeed.init_distributed()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    cfg = config(args, dist.get_world_size())
    with deepspeed.zero.Init(config_dict_or_path=cfg):
        model = AutoModelForCausalLM.from_pretrained(args.model)
    model.gradient_checkpointing_enable()
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=cfg)
    train = Lines("train.jsonl", tokenizer, 512)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, args.batch, sampler=sampler, drop_last=True, num_workers=2)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for step, batch in enumerate(loader):
            batch = {k: v.to(engine.device) for k, v in batch.items()}
            loss = engine(**batch, labels=batch["input_ids"]).loss
            engine.backward(loss)
            engine.step()
            if step % 100 == 0:
                norm = embedding_norm(engine.module)
                if dist.get_rank() == 0:
                    print(epoch, step, loss.item(), norm)
        engine.save_checkpoint(args.out, tag=f"epoch{epoch}")
    engine.save_16bit_model(args.out, "pytorch_model.bin")
    if dist.get_rank() == 0:
        tokenizer.save_pretrained(args.out)
        engine.module.config.save_pretrained(args.out)
    dist.barrier()


if __name__ == "__main__":
    main()
