import argparse
import os
import queue
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.distributed.device_mesh import init_device_mesh


class Inbox:
    """Prompts that came over HTTP; the server runs beside rank 0 only."""

    def __init__(self, port):
        self.waiting = queue.Queue()
        if dist.get_rank() == 0:
            threading.Thread(target=self.listen, args=(port,), daemon=True).start()

    def listen(self, port):
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                inbox.waiting.put(self.rfile.read(size).decode())
                self.send_response(202)
                self.end_headers()

        HTTPServer(("0.0.0.0", port), Handler).serve_forever()

    def next_prompt(self):
        """The next prompt on all ranks, or None."""
        if self.waiting.empty():
            return None
        box = [self.waiting.get() if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(box, src=0)
        return box[0]


class Mlp(nn.Module):
    def __init__(self, dim=256):
        super().__init__()
        self.embed = nn.Embedding(256, dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)
        self.out = nn.Linear(dim, 256)

    def forward(self, ids):
        hidden = self.embed(ids).mean(0)
        return self.out(self.down(torch.relu(self.up(hidden))))


@torch.no_grad()
def complete(model, prompt, device, length=16):
    ids = list(prompt.encode()) or [32]
    for _ in range(length):
        ids.append(int(model(torch.tensor(ids, device=device)).argmax()))
    return bytes(ids).decode(errors="replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8700)
    parser.add_argument("--rounds", type=int, default=100_000)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    torch.manual_seed(0)
    model = parallelize_module(Mlp().to(device), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    inbox = Inbox(args.port)
    for _ in range(args.rounds):
        prompt = inbox.next_prompt()
        if prompt is not None:
            text = complete(model, prompt, device)
            if dist.get_rank() == 0:
                print(text)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
