import random

from torch.utils.data import Dataset, get_worker_info


class CropDataset(Dataset):
    def __init__(self, items, crop, seed=0):
        self.items, self.crop = items, crop
        self._seed, self._random = seed, None

    def __len__(self):
        return len(self.items)

    @property
    def random(self):
        if self._random is None:
            info = get_worker_info()
            self._random = random.Random(info.seed if info else self._seed)
        return self._random

    def window(self, length):
        start = self.random.randrange(length - self.crop)
        return slice(start, start + self.crop)
