import webdataset as wds
from torchvision import transforms

to_tensor = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])


def pipeline(urls, batch_size, epoch_batches):
    stages = [
        wds.ResampledShards(urls) if epoch_batches is None else wds.SimpleShardList(urls),
        wds.split_by_node,
        wds.split_by_worker,
        wds.tarfile_to_samples(),
        wds.shuffle(2000),
        wds.decode("pil"),
        wds.to_tuple("jpg", "cls"),
        wds.map_tuple(to_tensor, int),
        wds.batched(batch_size, partial=False),
    ]
    return wds.DataPipeline(*stages).with_epoch(epoch_batches)
