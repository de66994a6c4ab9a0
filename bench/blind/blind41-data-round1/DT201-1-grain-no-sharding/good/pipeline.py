import grain.python as grain
import numpy as np


class Records(grain.RandomAccessDataSource):
    def __init__(self, path):
        self._tokens = np.load(path, mmap_mode="r")

    def __len__(self):
        return self._tokens.shape[0]

    def __getitem__(self, index):
        row = np.asarray(self._tokens[index])
        return {"inputs": row[:-1], "targets": row[1:]}


def training_loader(path, per_process_batch, seed):
    source = Records(path)
    sampler = grain.IndexSampler(
        num_records=len(source),
        shuffle=True,
        seed=seed,
        num_epochs=None,
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
    )
    return grain.DataLoader(
        data_source=source,
        sampler=sampler,
        operations=[grain.Batch(per_process_batch, drop_remainder=True)],
        worker_count=4,
    )
