"""Plays evaluation games in processes while the policy sits on the GPU."""
import concurrent.futures as cf
import multiprocessing as mp
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def play(job):
    weights, seed = job
    generator = torch.Generator().manual_seed(seed)
    board, weights = torch.zeros(9, device="cuda"), weights.cuda()
    score = 0.0
    for _ in range(5):
        move = int(torch.argmax(board @ weights + torch.rand(9, generator=generator).cuda()))
        board[move] += 1
        score += float(board[move] == 1)
    return score


def evaluate(model, pool, games):
    weights = model.module[0].weight.detach().float().cpu()[:9]
    return sum(pool.map(play, [(weights, seed) for seed in range(games)])) / games


def main(epochs=5):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 9)).cuda()
    model = DistributedDataParallel(model, device_ids=[local])
    data = TensorDataset(*torch.load("games.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=256, sampler=sampler, drop_last=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with cf.ProcessPoolExecutor(max_workers=4, mp_context=mp.get_context("spawn")) as pool:
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for board, move in loader:
                loss = nn.functional.cross_entropy(model(board.cuda()), move.cuda())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if dist.get_rank() == 0:
                print(epoch, evaluate(model, pool, 64))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
