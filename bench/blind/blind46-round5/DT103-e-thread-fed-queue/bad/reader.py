import queue
import threading
from pathlib import Path

import torch

END = object()


class Reader(threading.Thread):
    def __init__(self, files, depth=8):
        super().__init__(daemon=True)
        self.files, self.queue = files, queue.Queue(depth)

    def run(self):
        for path in self.files:
            for row in torch.load(path, map_location="cpu", weights_only=True).split(64):
                self.queue.put(row)
        self.queue.put(END)

    def __iter__(self):
        self.start()
        return iter(self.queue.get, END)


def files_of(root, rank, world):
    return sorted(Path(root).glob("*.pt"))[rank::world]
