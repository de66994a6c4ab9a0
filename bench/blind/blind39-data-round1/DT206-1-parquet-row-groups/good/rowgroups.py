import pyarrow.parquet as pq
import torch
from torch.utils.data import Dataset


class RowGroupDataset(Dataset):
    """This rank's row groups of one Parquet file, one item per group."""

    def __init__(self, path, rank, world_size, columns):
        self.path = path
        self.columns = columns
        count = pq.ParquetFile(path).metadata.num_row_groups
        groups = list(range(count - count % world_size))
        self.groups = groups[rank::world_size]

    def __len__(self):
        return len(self.groups)

    def __getitem__(self, index):
        table = pq.ParquetFile(self.path).read_row_group(self.groups[index], columns=self.columns)
        rows = torch.stack([torch.as_tensor(table[c].to_numpy(), dtype=torch.float32) for c in self.columns], dim=1)
        return rows[:256, :-1], rows[:256, -1]
