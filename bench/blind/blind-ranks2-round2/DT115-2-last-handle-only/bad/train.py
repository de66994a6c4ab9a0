import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

from average import average_gradients


class Waves(Dataset):
    def __len__(self):
        return 480

    def __getitem__(self, i):
        t = torch.linspace(0, 1, 32)
        return torch.sin(2 * torch.pi * (1 + i % 7) * t), i % 7


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5)
        self.fc = nn.Linear(8, 7)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x.unsqueeze(1))).mean(dim=-1))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(3)
    net = Net().to(device)
    for tensor in net.state_dict().values():
        dist.broadcast(tensor, src=0)
    parameters = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.RMSprop(parameters, lr=1e-3)
    data = Waves()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for wave, pitch in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(wave.to(device)), pitch.to(device)).backward()
            average_gradients(parameters)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
