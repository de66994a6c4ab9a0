from pathlib import Path

import torch.distributed as dist
from datasets import load_dataset, load_from_disk


def tokenised(tokenizer, folder, length=128):
    """The tokenised corpus on the shared disk; made by rank 0 where it does not exist."""
    folder = Path(folder)
    if dist.get_rank() == 0 and not folder.exists():
        raw = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
        rows = raw.map(lambda r: tokenizer(r["text"], truncation=True, padding="max_length", max_length=length))
        rows.save_to_disk(str(folder))
    return load_from_disk(str(folder)).with_format("torch", columns=["input_ids", "attention_mask"])
