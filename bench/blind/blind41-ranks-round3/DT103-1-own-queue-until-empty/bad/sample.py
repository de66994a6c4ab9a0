import json
import os
from collections import deque

import torch
import torch.distributed as dist
import torch.nn as nn


def own_prompts(path):
    with open(path) as handle:
        rows = [json.loads(line) for line in handle]
    return deque(row["ids"] for row in rows if row["bucket"] % dist.get_world_size() == dist.get_rank())


@torch.inference_mode()
def generate(model, ids, device, length=16):
    out = torch.tensor(ids, device=device)
    for _ in range(length):
        out = torch.cat([out, model(out)[-1].argmax().reshape(1)])
    return out.tolist()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(500, 32), nn.Linear(32, 500)).to(device).eval()
    model.load_state_dict(torch.load("lm.pt", map_location=device))
    pending = own_prompts("prompts.jsonl")
    results = []
    while pending:
        text = generate(model, pending.popleft(), device)
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, text)
        results.extend(everyone)
    if dist.get_rank() == 0:
        with open("samples.json", "w") as handle:
            json.dump(results, handle)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
