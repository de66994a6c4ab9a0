"""DeepSpeed with engine, elastic-ish resume and client state."""
import argparse
import os

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Random(Dataset):
    def __init__(self, n, seq, vocabulary):
        g = torch.Generator().manual_seed(0)
        self.rows = torch.randint(vocabulary, (n, seq + 1), generator=g)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i, :-1], self.rows[i, 1:]


class LM(torch.nn.Module):
    def __init__(self, vocabulary=512, dim=64):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Embedding(vocabulary, dim), torch.nn.Linear(dim, dim), torch.nn.ReLU())
        self.head = torch.nn.Linear(dim, vocabulary)

    def forward(self, x, y):
        return torch.nn.functional.cross_entropy(self.head(self.body(x)).flatten(0, 1), y.flatten())


DS = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "zero_optimization": {"stage": 2, "overlap_comm": True},
    "bf16": {"enabled": True},
    "gradient_clipping": 1.0,
}


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", -1)))
    parser.add_argument("--save-dir", default="ds_ckpt")
    parser.add_argument("--epochs", type=int, default=2)
    return parser.parse_args()


def evaluate(engine, loader):
    engine.eval()
    total = torch.zeros(2, device=engine.device)
    with torch.no_grad():
        for x, y in loader:
            loss = engine(x.to(engine.device), y.to(engine.device))
            total += torch.stack([loss.float() * len(x), loss.new_tensor(len(x)).float()])
    dist.all_reduce(total)
    engine.train()
    return (total[0] / total[1]).item()


def main():
    args = get_args()
    deepspeed.init_distributed()
    torch.cuda.set_device(args.local_rank)
    torch.manual_seed(11)
    model = LM()
    engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=DS)
    train, val = Random(2048, 32, 512), Random(256, 32, 512)
    sampler = DistributedSampler(train)
    train_loader = DataLoader(train, batch_size=engine.train_micro_batch_size_per_gpu(), sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=8, sampler=DistributedSampler(val, shuffle=False))
    _, client = engine.load_checkpoint(args.save_dir)
    first = client["epoch"] + 1 if client else 0
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)
        for x, y in train_loader:
            loss = engine(x.to(engine.device), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        value = evaluate(engine, val_loader)
        if dist.get_rank() == 0:
            print(f"{epoch=} {value=:.4f} lr={optimizer.param_groups[0]['lr']}")
        engine.save_checkpoint(args.save_dir, tag=f"epoch{epoch}", client_state={"epoch": epoch})
    dist.barrier()
    if dist.get_rank() == 0:
        with open(os.path.join(args.save_dir, "DONE"), "w") as f:
            f.write("ok")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
