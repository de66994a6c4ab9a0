"""Credit default model on a parquet table; DDP on CPU nodes."""
import os

import pandas as pd
import torch
import torch.distributed as dist
import torch.nn as nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def load_split(path, label="default"):
    frame = pd.read_parquet(path)
    features = frame.drop(columns=[label]).to_numpy("float32")
    target = frame[label].to_numpy("float32")
    parts = train_test_split(features, target, test_size=0.15, stratify=target, random_state=1234)
    x_train, x_val, y_train, y_val = parts
    scaler = StandardScaler().fit(x_train)
    to_set = lambda x, y: TensorDataset(torch.from_numpy(scaler.transform(x).astype("float32")), torch.from_numpy(y))
    return to_set(x_train, y_train), to_set(x_val, y_val)


def validate(model, loader):
    model.eval()
    totals = torch.zeros(2)
    with torch.no_grad():
        for x, y in loader:
            hit = ((model(x).squeeze(1) > 0).float() == y).float()
            totals += torch.tensor([hit.sum().item(), len(y)])
    dist.all_reduce(totals)
    model.train()
    return (totals[0] / totals[1]).item()


def main(epochs=25):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train_set, val_set = load_split(os.environ["TABLE"])
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, batch_size=1024, sampler=sampler, drop_last=True)
    val = DataLoader(val_set, batch_size=4096, sampler=DistributedSampler(val_set, shuffle=False))
    width = train_set.tensors[0].shape[1]
    net = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 1))
    model = DistributedDataParallel(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    best = 0.0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = loss_fn(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = validate(net, val)
        if accuracy > best:
            best = accuracy
            if dist.get_rank() == 0:
                torch.save(net.state_dict(), "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
