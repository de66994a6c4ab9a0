import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from dqn.buffer import Buffer
from dqn.env import Line


def main(steps=400, warm=64, gamma=0.95):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 2))
    model = DDP(net)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    env, buffer = Line(seed=100 + rank), Buffer(seed=200 + rank)
    explore = torch.Generator().manual_seed(300 + rank)
    state = env.reset()
    for step in range(steps):
        with torch.no_grad():
            best = int(net(torch.tensor([[float(state)]])).argmax())
        action = int(torch.randint(2, (1,), generator=explore)) if torch.rand(1, generator=explore) < 0.2 else best
        after, reward, done = env.step(action)
        buffer.add(state, action, reward, after, float(done))
        state = env.at
        if step < warm:
            continue
        s, a, r, n, d = buffer.sample(32)
        with torch.no_grad():
            target = r + gamma * (1 - d) * net(n[:, None]).max(1).values
        q = model(s[:, None]).gather(1, a.long()[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(q, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "dqn.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
