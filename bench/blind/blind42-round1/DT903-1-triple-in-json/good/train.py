import argparse

import deepspeed
import torch
from transformers import AutoModelForCausalLM


class Blocks(torch.utils.data.Dataset):
    def __init__(self, path, length=1024):
        flat = torch.load(path, map_location="cpu", mmap=True)
        self.rows = flat[: len(flat) // length * length].view(-1, length)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i].long()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--tokens", default="tokens.pt")
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=model, model_parameters=model.parameters(), training_data=Blocks(args.tokens)
    )
    for ids in loader:
        ids = ids.to(engine.device)
        loss = engine(input_ids=ids, labels=ids).loss
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint("out")


if __name__ == "__main__":
    main()
