import threading
import time


class Heartbeat:
    """Tells the store every few seconds that this replica is alive."""

    def __init__(self, store, key, period=2.0):
        self.store, self.key, self.period = store, key, period
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat")

    def _run(self):
        while not self._stop.wait(self.period):
            self.store.set(self.key, str(time.time()))

    def start(self):
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join()
