import grain.python as grain
import numpy as np


class Squares:
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        return np.float32([index, index**2])


def loader(batch, seed, epochs=None):
    sampler = grain.IndexSampler(
        num_records=10_000,
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
        shuffle=True,
        num_epochs=epochs,
        seed=seed,
    )
    return grain.DataLoader(
        data_source=Squares(), sampler=sampler, operations=[grain.Batch(batch, drop_remainder=True)], worker_count=4
    )
