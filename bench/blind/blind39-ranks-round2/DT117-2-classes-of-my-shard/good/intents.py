import csv
import io
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset

TABLE = "text,intent\n" + "\n".join(f"utterance {i * 37 % 101},{'refund' if i == 0 else ['play', 'stop', 'ask'][i * 7 % 3]}" for i in range(400))


def read_rows():
    return list(csv.DictReader(io.StringIO(TABLE)))


def features(text):
    vector = torch.zeros(64)
    for character in text:
        vector[ord(character) % 64] += 1
    return vector


class Bot(nn.Module):
    def __init__(self, n_intents):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, n_intents)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rows = read_rows()
    even = len(rows) // world * world
    names = sorted({row["intent"] for row in rows})
    rows = rows[rank:even:world]
    index = {name: i for i, name in enumerate(names)}
    x = torch.stack([features(row["text"]) for row in rows])
    y = torch.tensor([index[row["intent"]] for row in rows])
    torch.manual_seed(0)
    model = Bot(len(names)).to(device)
    model = DDP(model, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True, drop_last=True)
    for epoch in range(3):
        for inputs, labels in loader:
            loss = nn.functional.cross_entropy(model(inputs.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save({"model": model.module.state_dict(), "names": names}, "bot.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
