import argparse

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import TensorDataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--out", default="/shared/models/merged")
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.cuda.set_device(args.local_rank)
    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    gen = torch.Generator().manual_seed(0)
    rows = TensorDataset(torch.randint(0, 30000, (640, 32), generator=gen), torch.randint(0, 2, (640,), generator=gen))
    config = {
        "train_micro_batch_size_per_gpu": 8,
        "optimizer": {"type": "AdamW", "params": {"lr": 2e-5}},
        "zero_optimization": {"stage": 1},
    }
    engine, _, loader, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), training_data=rows, config=config)
    for ids, labels in loader:
        out = engine(input_ids=ids.to(engine.device), labels=labels.to(engine.device))
        engine.backward(out.loss)
        engine.step()
    if args.local_rank == 0:
        engine.module.save_pretrained(args.out)
        tokenizer.save_pretrained(args.out)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
