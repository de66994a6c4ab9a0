"""torchrun elastic: state object captured from the newest rank, snapshots, restart-safe loop."""
import contextlib
import io
import os
from dataclasses import asdict, dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Progress:
    epoch: int = -1
    best: float = float("inf")


class State:
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.progress = model, optimizer, Progress()

    def capture(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "progress": asdict(self.progress)}

    def apply(self, snapshot):
        self.model.load_state_dict(snapshot["model"])
        self.optimizer.load_state_dict(snapshot["optimizer"])
        self.progress = Progress(**snapshot["progress"])

    def save(self, path):
        torch.save(self.capture(), path + ".part")
        os.replace(path + ".part", path)

    def load(self, path, device):
        self.apply(torch.load(path, map_location=device, weights_only=True))


def restore(state, path, device):
    """Whoever is furthest gives his state to the others: nodes have disks of their own."""
    with contextlib.suppress(FileNotFoundError):
        state.load(path, device)
    epochs = [torch.zeros(1, dtype=torch.long, device=device) for _ in range(dist.get_world_size())]
    dist.all_gather(epochs, torch.tensor([state.progress.epoch], device=device))
    source = int(torch.stack(epochs).flatten().argmax())
    newest = int(max(e.item() for e in epochs))
    if newest < 0:
        return
    with io.BytesIO() as f:
        torch.save(state.capture(), f)
        blob = torch.frombuffer(bytearray(f.getvalue()), dtype=torch.uint8).to(device)
    size = torch.tensor([len(blob)], device=device)
    dist.broadcast(size, src=source)
    if dist.get_rank() != source:
        blob = torch.empty(int(size.item()), dtype=torch.uint8, device=device)
    dist.broadcast(blob, src=source)
    state.apply(torch.load(io.BytesIO(blob.cpu().numpy().tobytes()), map_location=device))


@record
def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    x = torch.randn(3200, 16)
    data = TensorDataset(x, x.square().sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 32, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).to(device), device_ids=[local])
    state = State(model, torch.optim.Adam(model.parameters()))
    path = os.environ.get("SNAPSHOT", "/tmp/snapshot.pt")
    restore(state, path, device)
    for epoch in range(state.progress.epoch + 1, 100):
        state.progress.epoch = epoch
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            state.optimizer.zero_grad()
            loss.backward()
            state.optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        state.progress.best = min(state.progress.best, total.item())
        if local == 0:
            state.save(path)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
