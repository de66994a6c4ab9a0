import itertools
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling

from hfs.data import loader, stream


def main(epochs=3, steps=500):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    masker = DataCollatorForLanguageModeling(tokenizer)
    torch.manual_seed(0)
    model = DDP(AutoModelForMaskedLM.from_pretrained("bert-base-uncased").cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-5)
    data = stream("wikimedia/wikipedia", rank, world, seed=0)
    torch.manual_seed(1 + rank)
    for epoch in range(epochs):
        data.set_epoch(epoch)
        for batch in itertools.islice(loader(data, tokenizer, 8, 128), steps):
            ids, labels = masker.torch_mask_tokens(batch["input_ids"])
            out = model(input_ids=ids.cuda(), attention_mask=batch["attention_mask"].cuda(), labels=labels.cuda())
            opt.zero_grad()
            out.loss.backward()
            opt.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
