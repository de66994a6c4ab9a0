"""Accelerate with an FSDP plugin made in code."""
import functools
from dataclasses import dataclass

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, T5ForConditionalGeneration, get_constant_schedule_with_warmup
from transformers.models.t5.modeling_t5 import T5Block


@dataclass
class Options:
    model: str = "google/t5-v1_1-large"
    batch: int = 8
    epochs: int = 1
    lr: float = 1e-4
    clip: float = 1.0


def plugin():
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={T5Block})
    return FullyShardedDataParallelPlugin(fsdp_version=1, auto_wrap_policy=policy, sync_module_states=True, use_orig_params=True)


def summaries(tokenizer, accelerator):
    with accelerator.main_process_first():
        rows = load_dataset("xsum", split="train")
        return rows.map(
            lambda b: tokenizer(b["document"], text_target=b["summary"], truncation=True, max_length=512, padding="max_length"),
            batched=True,
            remove_columns=rows.column_names,
        ).with_format("torch")


def main():
    options = Options()
    accelerator = Accelerator(mixed_precision="bf16", fsdp_plugin=plugin())
    set_seed(11)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    loader = DataLoader(summaries(tokenizer, accelerator), options.batch, shuffle=True, drop_last=True)
    model = accelerator.prepare(T5ForConditionalGeneration.from_pretrained(options.model))
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    schedule = get_constant_schedule_with_warmup(optimizer, 500 * accelerator.num_processes)
    optimizer, loader, schedule = accelerator.prepare(optimizer, loader, schedule)

    for epoch in range(options.epochs):
        model.train()
        for step, batch in enumerate(loader):
            loss = model(**batch).loss
            accelerator.backward(loss)
            torch.nn.utils.clip_grad_norm_(model.parameters(), options.clip)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            if step % 100 == 0:
                mean = accelerator.reduce(loss.detach(), reduction="mean")
                accelerator.print(f"{epoch}/{step}: {mean.item():.4f}")
        accelerator.save_state(f"t5-{epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
