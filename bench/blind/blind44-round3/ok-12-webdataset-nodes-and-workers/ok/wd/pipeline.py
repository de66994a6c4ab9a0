import webdataset as wds


def decode(sample):
    image, label = sample
    return image.permute(2, 0, 1), int(label)


def build(urls, batch, workers, batches):
    data = (
        wds.WebDataset(urls, resampled=True, nodesplitter=wds.split_by_node)
        .shuffle(1000)
        .decode("torchrgb")
        .to_tuple("jpg", "cls")
        .map(decode)
        .batched(batch, partial=False)
    )
    return wds.WebLoader(data, batch_size=None, num_workers=workers).with_epoch(batches)
