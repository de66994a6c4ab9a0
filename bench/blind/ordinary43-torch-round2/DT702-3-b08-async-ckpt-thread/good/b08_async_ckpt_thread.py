"""Background thread writes checkpoints on rank 0; queue; context manager object."""
import os
import queue
import threading

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.queue = queue.Queue(maxsize=2)
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.queue.put(None)
        self.thread.join()
        return False

    def put(self, step, state):
        self.queue.put((step, {k: v.detach().cpu().clone() for k, v in state.items()}))

    def _run(self):
        while (item := self.queue.get()) is not None:
            step, state = item
            part = os.path.join(self.folder, f"{step}.pt.part")
            torch.save(state, part)
            os.replace(part, part.removesuffix(".part"))


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def put(self, step, state):
        pass


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1)
    x = torch.randn(2048, 4)
    data = TensorDataset(x, x.prod(-1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 64, sampler=sampler)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters())
    step = 0
    with Writer("thread_ckpt") if rank == 0 else Nothing() as writer:
        for epoch in range(10):
            sampler.set_epoch(epoch)
            for a, b in loader:
                loss = torch.nn.functional.mse_loss(model(a), b)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                if step % 50 == 0:
                    writer.put(step, model.module.state_dict())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
