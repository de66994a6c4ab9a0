from torch.utils.data import Dataset, Subset


class Numbers(Dataset):
    def __init__(self, count=1000):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return float(index)

    def share(self, rank: int, world: int) -> Subset:
        size = self.count // world
        return Subset(self, range(rank * size, (rank + 1) * size))
