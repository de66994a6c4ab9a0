import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from model import Segmenter


def main(epochs=3):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    images = torch.randn(128, 3, 24, 24)
    labels = torch.randint(0, 8, (128, 24, 24))
    data = TensorDataset(images, labels)
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    model = DDP(Segmenter())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            out, aux = model(x, with_aux=step % 4 == 0)
            loss = F.cross_entropy(out, y)
            if aux is not None:
                loss = loss + 0.4 * F.cross_entropy(aux, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
