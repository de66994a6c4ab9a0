import webdataset as wds
from torchvision import transforms

NORMALISE = transforms.Normalize((0.48, 0.46, 0.41), (0.27, 0.26, 0.28))


def train_transform(size):
    return transforms.Compose([transforms.RandomResizedCrop(size), transforms.RandomHorizontalFlip(), transforms.ToTensor(), NORMALISE])


def image_text_pipeline(urls, tokenize, batch_size, size=224, seed=0):
    stages = [wds.SimpleShardList(urls, seed=seed)]
    stages += [wds.split_by_node, wds.split_by_worker]
    stages += [
        wds.tarfile_to_samples(handler=wds.warn_and_continue),
        wds.shuffle(2000),
        wds.decode("pil", handler=wds.warn_and_continue),
        wds.to_tuple("jpg", "txt"),
        wds.map_tuple(train_transform(size), tokenize),
        wds.batched(batch_size, partial=False),
    ]
    return wds.DataPipeline(*stages)


def image_text_loader(urls, tokenize, batch_size, batches, workers=6):
    data = image_text_pipeline(urls, tokenize, batch_size)
    loader = wds.WebLoader(data, batch_size=None, num_workers=workers, pin_memory=True)
    return loader.repeat(2).with_epoch(batches)
