import lightning as L
import pandas as pd
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset
from torchvision.io import read_image
from torchvision.transforms import v2


class Slides(Dataset):
    def __init__(self, frame, transform):
        self.frame = frame.reset_index(drop=True)
        self.transform = transform

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, i):
        row = self.frame.iloc[i]
        return self.transform(read_image(row.path)), int(row.label)


class SlideData(L.LightningDataModule):
    def __init__(self, table: str, batch_size: int = 64, val_fraction: float = 0.1, split_seed: int = 20):
        super().__init__()
        self.save_hyperparameters()
        self.augment = v2.Compose([v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(), v2.ToDtype(float, scale=True)])
        self.plain = v2.Compose([v2.Resize(224, antialias=True), v2.ToDtype(float, scale=True)])

    def setup(self, stage=None):
        frame = pd.read_csv(self.hparams.table)
        train, val = train_test_split(frame, test_size=self.hparams.val_fraction, stratify=frame.label)
        self.train_set = Slides(train, self.augment)
        self.val_set = Slides(val, self.plain)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True, num_workers=8, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size, num_workers=8)
