import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

from samples.predict import predict
from samples.sink import Sink


def main(folder="/nfs/predictions"):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    model = nn.Linear(7, 1)
    model.load_state_dict(torch.load("model.pt", map_location="cpu", weights_only=True))
    model.to(device)
    x = torch.randn(1000, 7, generator=torch.Generator().manual_seed(0))
    data = Subset(TensorDataset(torch.arange(1000), x), range(rank, 1000, world))
    sink = Sink(folder, rank)
    sink.write("test", predict(model, DataLoader(data, 100), device))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
