"""Half of the ranks train the actor, the other half the critic; each half averages its own gradients."""
import torch
import torch.distributed as dist
import torch.nn as nn


def average(net, group, size):
    for p in net.parameters():
        dist.all_reduce(p.grad, group=group)
        p.grad /= size


def rollouts(rank, steps):
    gen = torch.Generator().manual_seed(500 + rank)
    for _ in range(steps):
        yield torch.randn(128, 8, generator=gen)


def share(net, src):
    for p in net.parameters():
        dist.broadcast(p.data, src=src)


def main(steps=50):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    half = world // 2
    actors, critics = list(range(half)), list(range(half, world))
    actor_group = dist.new_group(actors)
    critic_group = dist.new_group(critics)
    torch.manual_seed(0)
    actor = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))
    critic = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    mine = actor if rank in actors else critic
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.01)
    for obs in rollouts(rank, steps):
        optimizer.zero_grad()
        if rank in actors:
            (-(actor(obs).log_softmax(-1)[:, 0] * obs[:, 0]).mean()).backward()
            average(actor, actor_group, len(actors))
        else:
            (critic(obs).squeeze(-1) - obs.sum(-1)).square().mean().backward()
            average(critic, critic_group, len(critics))
        optimizer.step()
    share(actor, actors[0])
    share(critic, critics[0])
    if rank == 0:
        torch.save({"actor": actor.state_dict(), "critic": critic.state_dict()}, "ac.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
