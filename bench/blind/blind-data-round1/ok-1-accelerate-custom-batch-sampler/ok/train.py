import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler


class ByLength(Sampler):
    def __init__(self, lengths, size, seed):
        self.order = sorted(range(len(lengths)), key=lengths.__getitem__)
        self.size, self.seed, self.epoch = size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        chunks = [self.order[i : i + self.size] for i in range(0, len(self.order) - self.size + 1, self.size)]
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        for index in torch.randperm(len(chunks), generator=generator).tolist():
            yield chunks[index]

    def __len__(self):
        return len(self.order) // self.size


class Walks(Dataset):
    def __init__(self, rows=320):
        g = torch.Generator().manual_seed(0)
        self.lengths = torch.randint(5, 20, (rows,), generator=g).tolist()
        self.walks = [torch.randn(n, 3, generator=g).cumsum(0) for n in self.lengths]

    def __len__(self):
        return len(self.walks)

    def __getitem__(self, index):
        return self.walks[index]


def collate(rows):
    return pad_sequence(rows, batch_first=True)


def main():
    accelerator = Accelerator(cpu=not torch.cuda.is_available())
    torch.manual_seed(0)
    dataset = Walks()
    batches = ByLength(dataset.lengths, size=8, seed=4)
    loaders = {"train": DataLoader(dataset, batch_sampler=batches, collate_fn=collate)}
    model = nn.GRU(3, 3, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer = accelerator.prepare(model, optimizer)
    loaders = {name: accelerator.prepare(loader) for name, loader in loaders.items()}
    for epoch in range(2):
        batches.set_epoch(epoch)
        for walks in loaders["train"]:
            predicted, _ = model(walks[:, :-1])
            loss = F.mse_loss(predicted, walks[:, 1:])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "walks.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
