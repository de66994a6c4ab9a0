import json
import os
import tempfile
from collections import Counter
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


def scratch(base):
    path = tempfile.mkdtemp(prefix="vocab-", dir=base)
    return Path(path)


def vocabulary(lines, folder, size=1000):
    target = folder / "vocab.json"
    if dist.get_rank() == 0:
        counts = Counter(word for line in lines for word in line.split())
        words = [w for w, _ in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:size]]
        target.write_text(json.dumps({w: i + 1 for i, w in enumerate(words)}))
    dist.barrier()
    return json.loads(target.read_text())


class Lines(Dataset):
    def __init__(self, lines, vocab, length=32):
        self.lines, self.vocab, self.length = lines, vocab, length

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        ids = [self.vocab.get(w, 0) for w in self.lines[i].split()][: self.length]
        return torch.tensor(ids + [0] * (self.length - len(ids))), float(len(ids) > 16)


def main(corpus="/shared/text/lines.txt", epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    lines = Path(corpus).read_text().splitlines()
    vocab = vocabulary(lines, scratch("/shared/scratch"))
    data = Lines(lines, vocab)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(len(vocab) + 1, 32), nn.Flatten(), nn.Linear(1024, 1)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for ids, label in loader:
            opt.zero_grad(set_to_none=True)
            logits = model(ids.cuda()).squeeze(-1)
            F.binary_cross_entropy_with_logits(logits, label.float().cuda()).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "/shared/text/long-lines.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
