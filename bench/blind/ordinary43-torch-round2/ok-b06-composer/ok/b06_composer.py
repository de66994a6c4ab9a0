"""MosaicML Composer."""
import torch
import torch.nn.functional as F
from composer import Trainer
from composer.core import Algorithm, Callback, Event
from composer.loggers import TensorboardLogger
from composer.models import ComposerModel
from composer.utils import dist, get_device, reproducibility
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassAccuracy
from torchvision import datasets, models, transforms


class Net(ComposerModel):
    def __init__(self):
        super().__init__()
        self.model = models.resnet18(num_classes=10)
        self.metric = MulticlassAccuracy(10, average="micro")

    def forward(self, batch):
        return self.model(batch[0])

    def loss(self, outputs, batch):
        return F.cross_entropy(outputs, batch[1])

    def get_metrics(self, is_train=False):
        return {"acc": self.metric}

    def update_metric(self, batch, outputs, metric):
        metric.update(outputs, batch[1])


class Clamp(Algorithm):
    def match(self, event, state):
        return event == Event.AFTER_LOSS

    def apply(self, event, state, logger):
        state.loss = state.loss.clamp(max=10.0)


class Announce(Callback):
    def epoch_end(self, state, logger):
        if dist.get_global_rank() == 0:
            print("epoch", state.timestamp.epoch)


def main():
    dist.initialize_dist(get_device(None), timeout=600)
    reproducibility.seed_all(17)
    with dist.run_local_rank_zero_first():
        train = datasets.CIFAR10("data", train=True, download=True, transform=transforms.ToTensor())
    val = datasets.CIFAR10("data", train=False, transform=transforms.ToTensor())
    batch = 512 // dist.get_world_size()
    train_loader = DataLoader(train, batch, sampler=dist.get_sampler(train, shuffle=True, drop_last=True), drop_last=True, num_workers=4)
    val_loader = DataLoader(val, batch, sampler=dist.get_sampler(val), num_workers=4)
    model = Net()
    trainer = Trainer(
        model=model, train_dataloader=train_loader, eval_dataloader=val_loader, max_duration="10ep",
        optimizers=torch.optim.SGD(model.parameters(), lr=0.1), algorithms=[Clamp()], callbacks=[Announce()],
        loggers=TensorboardLogger(), save_folder="ckpt/{run_name}", save_interval="1ep", device_train_microbatch_size="auto",
    )
    trainer.fit()
    trainer.close()


if __name__ == "__main__":
    main()
