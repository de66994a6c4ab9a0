import itertools
import tarfile

import torch
from torch.utils.data import IterableDataset, get_worker_info


class TarMembers(IterableDataset):
    def __init__(self, archives, decode, rank, world_size):
        super().__init__()
        self.archives = list(archives)
        self.decode = decode
        self.rank, self.world_size = rank, world_size

    def _members(self):
        for archive in self.archives:
            with tarfile.open(archive) as tar:
                for member in tar:
                    if member.isfile():
                        yield tar.extractfile(member).read()

    def __iter__(self):
        info = get_worker_info()
        lane, lanes = (info.id, info.num_workers) if info is not None else (0, 1)
        lane, lanes = lane + lanes * self.rank, lanes * self.world_size
        for raw in itertools.islice(self._members(), lane, None, lanes):
            yield self.decode(raw)


def decode(raw):
    values = torch.frombuffer(bytearray(raw), dtype=torch.uint8).float()
    return values[:1024] / 255.0
