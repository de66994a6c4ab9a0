import queue
import threading

import torch


class Writer:
    """Writes one snapshot after the other in a thread of its own."""

    def __init__(self, enabled):
        self.jobs = queue.Queue(maxsize=2)
        self.thread = threading.Thread(target=self.run, daemon=True) if enabled else None
        if self.thread:
            self.thread.start()

    def run(self):
        while (job := self.jobs.get()) is not None:
            path, state = job
            torch.save(state, path)

    def put(self, path, module):
        if self.thread:
            self.jobs.put((path, {k: v.detach().cpu().clone() for k, v in module.state_dict().items()}))

    def close(self):
        if self.thread:
            self.jobs.put(None)
            self.thread.join()
