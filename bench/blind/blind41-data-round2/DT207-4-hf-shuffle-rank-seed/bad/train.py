import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding

from prepare import my_part


def main(seed=13, epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained("roberta-base")
    rows = my_part("rotten_tomatoes", seed)
    rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=128), remove_columns=["text"])
    loader = DataLoader(
        rows, batch_size=16, shuffle=True, collate_fn=DataCollatorWithPadding(tokenizer), drop_last=True
    )
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=2).cuda()
    model = DDP(model, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for _ in range(epochs):
        for batch in loader:
            batch = {k: v.cuda() for k, v in batch.items()}
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
