import queue
import threading
import time
from pathlib import Path


class Watcher:
    """Tells when somebody has dropped a request into the folder."""

    def __init__(self, folder, every=0.5):
        self.folder = Path(folder)
        self.every = every
        self.requests = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def start(self):
        self.thread.start()
        return self

    def _watch(self):
        seen = set()
        while True:
            for path in sorted(self.folder.glob("*.request")):
                if path not in seen:
                    seen.add(path)
                    self.requests.put(path.stem)
            time.sleep(self.every)

    def pending(self):
        return not self.requests.empty()

    def take(self):
        return self.requests.get()
