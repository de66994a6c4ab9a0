"""Async metric shipping on rank 0 in a thread with its own event loop."""
import asyncio
import os
import threading

import aiohttp
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Shipper:
    def __init__(self, url):
        self.url = url
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    async def _post(self, payload):
        try:
            async with aiohttp.ClientSession() as session:
                async with session.post(self.url, json=payload) as response:
                    await response.read()
        except aiohttp.ClientError as e:
            print("cannot ship", e)

    def __call__(self, **payload):
        asyncio.run_coroutine_threadsafe(self._post(payload), self.loop)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    ship = Shipper("http://localhost:9000") if dist.get_rank() == 0 else None
    g = torch.Generator().manual_seed(0)
    x = torch.randn(1000, 6, generator=g)
    data = TensorDataset(x, x.amax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 10, sampler=sampler)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).cuda(), device_ids=[local])
    optimizer = torch.optim.RMSprop(model.parameters())
    for epoch in range(5):
        sampler.set_epoch(epoch)
        running = torch.zeros((), device="cuda")
        for x, y in loader:
            loss = (model(x.cuda()).squeeze(-1) - y.cuda()).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.detach()
        dist.reduce(running, dst=0)
        print(epoch, running.item() / len(loader) / dist.get_world_size())
    if ship is not None:
        ship.close()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
