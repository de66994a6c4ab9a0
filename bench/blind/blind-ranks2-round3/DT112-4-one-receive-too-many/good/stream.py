import torch
import torch.distributed as dist

CHUNKS, WIDTH = 6, 128


def produce(device, peer):
    source = torch.Generator().manual_seed(0)
    for _ in range(CHUNKS):
        chunk = torch.randn(WIDTH, generator=source).to(device)
        dist.send(chunk, dst=peer)


def fetch(device, peer):
    chunk = torch.empty(WIDTH, device=device)
    dist.recv(chunk, src=peer)
    return chunk


def consume(device, peer):
    """Holds one chunk ahead of the one it works on."""
    total = torch.zeros((), device=device)
    ahead = fetch(device, peer)
    for number in range(CHUNKS):
        current = ahead
        if number + 1 < CHUNKS:
            ahead = fetch(device, peer)
        total += current.square().sum()
    return total
