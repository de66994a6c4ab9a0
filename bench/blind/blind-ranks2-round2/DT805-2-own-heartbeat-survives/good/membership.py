import threading
import time
from datetime import timedelta

import torch.distributed as dist


class Membership:
    """Tells the others through a store that this worker is alive."""

    def __init__(self, store, rank, every=0.5):
        self.store, self.rank, self.every = store, rank, every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat-{rank}")

    def start(self):
        self._thread.start()
        return self

    def _beat(self):
        while not self._stop.wait(self.every):
            self.store.set(f"beat/{self.rank}", str(time.time()))

    def stop(self):
        self._stop.set()
        self._thread.join()
