import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from guard import lead_only


@lead_only("note", "store")
class Diary:
    def __init__(self):
        self.rows = []

    def note(self, step, value):
        self.rows.append((step, value))

    def store(self, path):
        with open(path, "w") as file:
            file.writelines(f"{step},{value}\n" for step, value in self.rows)

    def mean(self, value):
        value = value.detach().clone()
        dist.all_reduce(value)
        return value.item() / dist.get_world_size()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    diary = Diary()
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(50):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, generator=noise)).square().mean()
        loss.backward()
        optimizer.step()
        diary.note(step, diary.mean(loss))
    diary.store("diary.csv")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
