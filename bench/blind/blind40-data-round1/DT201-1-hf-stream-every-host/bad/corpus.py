"""Token windows from a streamed text corpus."""
import itertools

import jax
import numpy as np
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node


class TokenWindows:
    def __init__(self, cfg, tokenizer):
        self.cfg = cfg
        self.tokenizer = tokenizer

    def _documents(self):
        stream = load_dataset(self.cfg.dataset, split="train", streaming=True)
        stream = stream.shuffle(seed=self.cfg.data_seed, buffer_size=10_000)
        for row in stream:
            yield self.tokenizer(row["text"])["input_ids"] + [self.tokenizer.eos_token_id]

    def batches(self, rows):
        flat = itertools.chain.from_iterable(self._documents())
        span = self.cfg.seq_len + 1
        while True:
            chunk = list(itertools.islice(flat, rows * span))
            if len(chunk) < rows * span:
                return
            yield np.asarray(chunk, dtype=np.int32).reshape(rows, span)
