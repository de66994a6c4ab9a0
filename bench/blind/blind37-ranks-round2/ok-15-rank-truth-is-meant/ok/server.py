import torch
import torch.distributed as dist
from torch import nn

ROUNDS = 10


def model():
    return nn.Linear(5, 1)


def serve(net, world):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    grad = torch.empty(6)
    for _ in range(ROUNDS):
        flat = nn.utils.parameters_to_vector(net.parameters()).detach()
        dist.broadcast(flat, src=0)
        total = torch.zeros(6)
        for worker in range(1, world):
            dist.recv(grad, src=worker)
            total += grad
        total /= world - 1
        net.weight.grad, net.bias.grad = total[:5].view(1, 5).clone(), total[5:].clone()
        opt.step()


def work(net, rank):
    gen = torch.Generator().manual_seed(50 + rank)
    flat = torch.empty(6)
    for _ in range(ROUNDS):
        dist.broadcast(flat, src=0)
        nn.utils.vector_to_parameters(flat.clone(), net.parameters())
        x = torch.randn(32, 5, generator=gen)
        net.zero_grad()
        nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        dist.send(torch.cat([p.grad.reshape(-1) for p in net.parameters()]), dst=0)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    net = model()
    if rank:
        work(net, rank)
    else:
        serve(net, world)
        torch.save(net.state_dict(), "served.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
