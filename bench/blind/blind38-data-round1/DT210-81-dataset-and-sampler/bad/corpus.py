import json
from pathlib import Path

import torch
from torch.utils.data import Dataset


class DialogueCorpus(Dataset):
    """Keeps only every world-th dialogue in memory, starting at this rank's."""

    def __init__(self, path, tokenizer, rank, world, max_length=512):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        keep = len(lines) // world * world
        self.rows = [json.loads(line) for line in lines[:keep][rank::world]]
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        encoded = self.tokenizer(
            row["context"] + row["reply"],
            truncation=True,
            padding="max_length",
            max_length=self.max_length,
            return_tensors="pt",
        )
        ids, mask = encoded.input_ids[0], encoded.attention_mask[0]
        return {"input_ids": ids, "attention_mask": mask, "labels": torch.where(mask.bool(), ids, -100)}
