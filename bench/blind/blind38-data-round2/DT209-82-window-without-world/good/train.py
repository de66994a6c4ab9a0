"""Translation fine-tuning: the recipe names the batch over all ranks, the window follows from it."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoTokenizer, MarianMTModel
from datasets import load_dataset


@dataclass(frozen=True)
class Recipe:
    model: str = "Helsinki-NLP/opus-mt-en-de"
    global_batch_size: int = 1024
    micro_batch_size: int = 16
    epochs: int = 3
    lr: float = 5e-5
    seed: int = 19

    def window(self, world):
        """Micro-steps between two updates."""
        return self.global_batch_size // (self.micro_batch_size * world)


def sentences(recipe, tokenizer):
    rows = load_dataset("opus_books", "de-en", split="train")

    def encode(batch):
        pairs = batch["translation"]
        return tokenizer(
            [pair["en"] for pair in pairs], text_target=[pair["de"] for pair in pairs], truncation=True, max_length=128,
            padding="max_length",
        )

    rows = rows.map(encode, batched=True, remove_columns=rows.column_names)
    return rows.with_format("torch")


def main():
    recipe = Recipe()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(recipe.seed)

    tokenizer = AutoTokenizer.from_pretrained(recipe.model)
    rows = sentences(recipe, tokenizer)
    sampler = DistributedSampler(rows, shuffle=True, seed=recipe.seed, drop_last=True)
    loader = DataLoader(rows, recipe.micro_batch_size, sampler=sampler, num_workers=2, drop_last=True)
    model = DDP(MarianMTModel.from_pretrained(recipe.model).to(device), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.lr)
    window = recipe.window(world)

    for epoch in range(recipe.epochs):
        sampler.set_epoch(epoch)
        whole = len(loader) // window * window
        for index, batch in enumerate(loader):
            if index == whole:
                break
            batch = {name: value.to(device) for name, value in batch.items()}
            model.require_backward_grad_sync = (index + 1) % window == 0
            (model(**batch).loss / window).backward()
            if (index + 1) % window == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        if rank == 0:
            model.module.save_pretrained(f"marian-{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
