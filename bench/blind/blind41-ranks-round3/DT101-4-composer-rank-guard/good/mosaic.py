import torch
import torch.nn as nn
import torch.nn.functional as F
from composer import Callback, Trainer
from composer.models import ComposerModel
from composer.utils import dist
from torch.utils.data import DataLoader, TensorDataset


class Tag(Callback):
    """Names the run after the first batch."""

    def fit_start(self, state, logger):
        box = [f"{state.run_name}-{state.max_duration}"]
        if dist.get_global_rank() == 0:
            print("tag", box[0])
        dist.broadcast_object_list(box, src=0)
        self.tag = box[0]


class Net(ComposerModel):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 3))

    def forward(self, batch):
        return self.layers(batch[0])

    def loss(self, outputs, batch):
        return F.cross_entropy(outputs, batch[1])


def main():
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1200, 20, generator=gen), torch.randint(0, 3, (1200,), generator=gen))
    sampler = dist.get_sampler(data, shuffle=True, drop_last=True)
    trainer = Trainer(
        model=Net(),
        train_dataloader=DataLoader(data, batch_size=20, sampler=sampler, drop_last=True),
        max_duration="2ep",
        seed=17,
        callbacks=[Tag()],
    )
    trainer.fit()


if __name__ == "__main__":
    main()
