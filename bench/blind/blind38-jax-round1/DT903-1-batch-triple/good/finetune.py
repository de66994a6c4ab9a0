import argparse

import deepspeed
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import TensorDataset


class Classifier(nn.Module):
    def __init__(self, vocab=32000, width=256, classes=4):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, width)
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, classes))

    def forward(self, tokens, labels):
        return nn.functional.cross_entropy(self.head(self.embed(tokens)), labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--local_rank", type=int, default=-1)
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    torch.cuda.set_device(args.local_rank)
    deepspeed.init_distributed()
    torch.manual_seed(0)
    saved = torch.load("train.pt", map_location="cpu")
    data = TensorDataset(saved["tokens"], saved["labels"])
    model = Classifier()
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=model, model_parameters=model.parameters(), training_data=data
    )
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for tokens, labels in loader:
            loss = engine(tokens.to(engine.device), labels.to(engine.device))
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint("checkpoints", tag=f"epoch{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
