import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--local_rank", type=int, default=-1)
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    tokens = torch.load("sft_tokens.pt", map_location="cpu")
    model = nn.Sequential(nn.Embedding(32000, 512), nn.Linear(512, 32000))
    engine, _, loader, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters(), training_data=TensorDataset(tokens))
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for (batch,) in loader:
            batch = batch.to(engine.device)
            logits = engine(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint("sft_out")


if __name__ == "__main__":
    main()
