import random

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

from vocab import Vocabulary, write_vocabulary


def corpus(n):
    source = random.Random(0)
    words = "the ship sails over a calm cold sea while birds follow its long wake".split()
    return [(" ".join(source.choices(words, k=8)), i % 2) for i in range(n)]


class Encoded(Dataset):
    def __init__(self, rows, vocabulary):
        self.rows = [(torch.tensor(vocabulary.encode(text, 8)), label) for text, label in rows]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class BagOfWords(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.bag = nn.EmbeddingBag(size, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, ids):
        return self.out(self.bag(ids))


def main():
    accelerator = Accelerator()
    set_seed(5)
    rows, path = corpus(200), "artifacts/vocab.json"
    if accelerator.is_main_process:
        write_vocabulary(path, [text for text, _ in rows], 100)
    accelerator.wait_for_everyone()
    vocabulary = Vocabulary.read(path)
    model = BagOfWords(len(vocabulary))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loader = DataLoader(Encoded(rows, vocabulary), batch_size=10, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(2):
        for ids, labels in loader:
            optimizer.zero_grad()
            accelerator.backward(nn.functional.cross_entropy(model(ids), labels))
            optimizer.step()
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.get_state_dict(model), "artifacts/model.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
