import argparse
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


def train_tokenizer(lines, target):
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=4000, special_tokens=["[PAD]", "[UNK]"], show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.save(str(target))


def shared_tokenizer(accelerator, lines, folder):
    path = Path(folder) / "tokenizer.json"
    if accelerator.is_main_process:
        path.parent.mkdir(parents=True, exist_ok=True)
        train_tokenizer(lines, path)
    accelerator.wait_for_everyone()
    return Tokenizer.from_file(str(path))


class Lines(Dataset):
    def __init__(self, lines, tokenizer, limit=128):
        self.rows = [torch.tensor(one.ids[:limit]) for one in tokenizer.encode_batch(lines) if len(one.ids) > 1]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Gru(nn.Module):
    def __init__(self, vocab, dim=128):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, rows):
        hidden, _ = self.rnn(self.embed(rows[:, :-1]))
        return F.cross_entropy(self.out(hidden).flatten(0, 1), rows[:, 1:].flatten(), ignore_index=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--work", default="work/bpe")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(9)
    lines = Path(args.corpus).read_text(encoding="utf-8").splitlines()
    tokenizer = shared_tokenizer(accelerator, lines, args.work)
    data = Lines(lines, tokenizer)
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True, collate_fn=lambda rows: pad_sequence(rows, batch_first=True))
    model = Gru(tokenizer.get_vocab_size())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(args.epochs):
        for rows in loader:
            opt.zero_grad()
            accelerator.backward(model(rows))
            opt.step()
        accelerator.print(f"epoch {epoch} done")
    accelerator.wait_for_everyone()
    accelerator.save_model(model, args.work)
    accelerator.end_training()


if __name__ == "__main__":
    main()
