import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(epochs=2, n_critic=5):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    generator = DDP(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)))
    critic = DDP(nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1)), broadcast_buffers=False)
    g_opt = torch.optim.RMSprop(generator.parameters(), lr=5e-5)
    c_opt = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
    torch.manual_seed(100 + dist.get_rank())
    data = TensorDataset(torch.randn(4096, 4, generator=torch.Generator().manual_seed(9)))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    since = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (real,) in loader:
            c_opt.zero_grad(set_to_none=True)
            with torch.no_grad():
                fake = generator(torch.randn(len(real), 8))
            (critic(fake).mean() - critic(real).mean()).backward()
            c_opt.step()
            with torch.no_grad():
                for p in critic.parameters():
                    p.clamp_(-0.01, 0.01)
            since += 1
            if since == n_critic:
                since = 0
                g_opt.zero_grad(set_to_none=True)
                critic.requires_grad_(False)
                (-critic.module(generator(torch.randn(len(real), 8))).mean()).backward()
                critic.requires_grad_(True)
                g_opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
