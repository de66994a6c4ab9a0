import queue
import threading


class Prefetcher:
    """Runs the loader in a thread and keeps `depth` batches ready."""

    def __init__(self, loader, depth=4):
        self.loader = loader
        self.depth = depth
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        ready = queue.Queue(self.depth)
        done = object()

        def fill():
            for batch in self.loader:
                ready.put(batch)
            ready.put(done)

        threading.Thread(target=fill, daemon=True).start()
        while (batch := ready.get()) is not done:
            yield batch
