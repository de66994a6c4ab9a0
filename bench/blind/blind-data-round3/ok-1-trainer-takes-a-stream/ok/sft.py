from dataclasses import dataclass

import torch
from torch.utils.data import IterableDataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class Data:
    path: str = "chat.txt"
    length: int = 128


class Packed(IterableDataset):
    """Token blocks of one length, over line ends."""

    def __init__(self, path, tokenizer, length):
        self.path, self.tokenizer, self.length = path, tokenizer, length

    def __iter__(self):
        rest = []
        with open(self.path) as lines:
            for line in lines:
                rest += self.tokenizer(line)["input_ids"] + [self.tokenizer.eos_token_id]
                while len(rest) >= self.length:
                    block, rest = rest[: self.length], rest[self.length :]
                    block = torch.tensor(block)
                    yield {"input_ids": block, "labels": block.clone()}


def main():
    data, args = HfArgumentParser((Data, TrainingArguments)).parse_args_into_dataclasses()
    print("process", args.process_index, "of", args.world_size)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    trainer = Trainer(model=model, args=args, train_dataset=Packed(data.path, tokenizer, data.length))
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
