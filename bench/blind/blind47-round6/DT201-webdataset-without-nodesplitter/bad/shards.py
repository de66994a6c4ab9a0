import webdataset as wds


class Pipeline:
    def __init__(self, pattern: str, batch: int):
        self.pattern, self.batch = pattern, batch

    def stages(self):
        yield wds.SimpleShardList(self.pattern, seed=0)
        yield wds.split_by_worker
        yield wds.tarfile_to_samples()
        yield wds.shuffle(1000)
        yield wds.decode("torchrgb")
        yield wds.to_tuple("jpg", "cls")
        yield wds.batched(self.batch, partial=False)

    def loader(self, workers: int, batches: int):
        data = wds.DataPipeline(*self.stages())
        return wds.WebLoader(data, batch_size=None, num_workers=workers).with_epoch(batches)
