import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(40, 16), nn.Linear(25, 16)

    def forward(self, x, y):
        return F.normalize(self.a(x), dim=-1), F.normalize(self.b(y), dim=-1)


def main(epochs=2):
    accelerator = Accelerator()
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(4096, 40), torch.randn(4096, 25))
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True)
    model = TwoTower()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            left, right = model(x, y)
            all_right = accelerator.gather(right)
            own = slice(accelerator.process_index * len(right), (accelerator.process_index + 1) * len(right))
            all_right = torch.cat([all_right[: own.start], right, all_right[own.stop :]])
            logits = left @ all_right.T / 0.07
            target = torch.arange(len(left), device=left.device) + accelerator.process_index * len(left)
            loss = F.cross_entropy(logits, target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
