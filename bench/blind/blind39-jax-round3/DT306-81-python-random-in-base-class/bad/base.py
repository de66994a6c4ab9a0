import random

from torch.utils.data import Dataset, get_worker_info


class CropDataset(Dataset):
    def __init__(self, items, crop, seed=0):
        self.items, self.crop = items, crop
        self._random = random.Random(seed)

    def __len__(self):
        return len(self.items)

    @property
    def random(self):
        return self._random

    def window(self, length):
        start = self.random.randrange(length - self.crop)
        return slice(start, start + self.crop)
