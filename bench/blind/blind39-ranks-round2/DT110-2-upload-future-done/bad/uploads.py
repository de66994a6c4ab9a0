import shutil
from concurrent.futures import ThreadPoolExecutor


class Uploader:
    """Copies finished shards to the archive in the background."""

    def __init__(self, archive):
        self.archive = archive
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.current = None

    @property
    def idle(self):
        return self.current is None or self.current.done()

    def start(self, path):
        self.current = self.pool.submit(shutil.copy, path, self.archive)

    def close(self):
        self.pool.shutdown(wait=True)
