import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoints import Checkpoints


def main(max_steps=40, save_every=10):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(3, 3).to(device)
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(320, 3, generator=torch.Generator().manual_seed(1))
    dataset = TensorDataset(x, x.flip(1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    keeper = Checkpoints("checkpoints")
    step, epoch = 0, 0
    while step < max_steps:
        sampler.set_epoch(epoch)
        for inputs, target in loader:
            loss = F.mse_loss(model(inputs.to(device)), target.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % save_every == 0:
                keeper.save(step, {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step})
            if step == max_steps:
                break
        epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
