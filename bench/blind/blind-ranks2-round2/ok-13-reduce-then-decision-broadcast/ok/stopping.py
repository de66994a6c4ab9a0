import torch
import torch.distributed as dist


class EarlyStopping:
    def __init__(self, patience, device):
        self.patience, self.device = patience, device
        self.best, self.bad = float("inf"), 0

    def _judge(self, loss):
        if loss < self.best - 1e-4:
            self.best, self.bad = loss, 0
        else:
            self.bad += 1
        return self.bad > self.patience

    def __call__(self, total, count):
        sums = torch.tensor([total, count], dtype=torch.float64, device=self.device)
        dist.reduce(sums, dst=0)
        verdict = torch.zeros(1, dtype=torch.uint8, device=self.device)
        if dist.get_rank() == 0:
            loss = (sums[0] / sums[1]).item()
            print(f"loss {loss:.5f}")
            verdict.fill_(self._judge(loss))
        dist.broadcast(verdict, src=0)
        return bool(verdict.item())
