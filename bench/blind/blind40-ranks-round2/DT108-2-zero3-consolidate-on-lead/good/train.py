import argparse
import os

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import yaml
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from export import Exporter


class Decoder(nn.Module):
    def __init__(self, vocab=512, width=96, layers=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, dropout=0.0)
        self.trunk = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        return self.head(self.trunk(self.embed(ids), mask=mask, is_causal=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="ds.yaml")
    parser.add_argument("--out", default="exports")
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed()
    config = {
        "train_micro_batch_size_per_gpu": 4,
        "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True},
        "bf16": {"enabled": True},
        "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
    }
    if os.path.exists(args.config):
        with open(args.config) as f:
            config |= yaml.safe_load(f)
    torch.manual_seed(0)
    engine, *_ = deepspeed.initialize(model=(net := Decoder()), model_parameters=net.parameters(), config=config)
    ids = torch.randint(0, 512, (512, 33), generator=torch.Generator().manual_seed(1))
    sampler = DistributedSampler(TensorDataset(ids), drop_last=True)
    loader = DataLoader(sampler.dataset, batch_size=4, sampler=sampler, drop_last=True)
    export = Exporter(engine, args.out, dist.get_rank())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            batch = batch.to(engine.device)
            logits = engine(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())
            engine.backward(loss)
            engine.step()
        export(engine.global_steps, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
