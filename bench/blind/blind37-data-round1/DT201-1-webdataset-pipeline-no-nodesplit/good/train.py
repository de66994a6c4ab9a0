import os

import open_clip
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from pipeline import image_text_loader

URLS = "/mnt/laion/{00000..01023}.tar"
SAMPLES = 10_000_000


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    batch_size, epochs = 256, 8
    batches = SAMPLES // (batch_size * world)

    model, _, _ = open_clip.create_model_and_transforms("ViT-B-32")
    tokenizer = open_clip.get_tokenizer("ViT-B-32")
    loader = image_text_loader(URLS, lambda text: tokenizer(text)[0], batch_size, batches)
    model = DDP(model.cuda(), device_ids=[local_rank], static_graph=True)
    lossf = open_clip.ClipLoss(local_loss=True, gather_with_grad=True, rank=rank, world_size=world)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.2)
    for epoch in range(epochs):
        for images, texts in loader:
            images, texts = images.cuda(non_blocking=True), texts.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                image_features, text_features, scale = model(images, texts)
                loss = lossf(image_features, text_features, scale)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save({"model": model.module.state_dict(), "epoch": epoch}, "clip.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
