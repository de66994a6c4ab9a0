import torch
from composer import Trainer
from composer.models import ComposerClassifier
from composer.utils import dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from callback import GradientSpread


def main():
    data = TensorDataset(torch.randn(640, 4), torch.randint(0, 2, (640,)))
    loader = DataLoader(data, batch_size=16, sampler=dist.get_sampler(data, shuffle=True))
    model = ComposerClassifier(nn.Linear(4, 2), num_classes=2)
    Trainer(model=model, train_dataloader=loader, max_duration="2ep", callbacks=[GradientSpread()]).fit()


if __name__ == "__main__":
    main()
