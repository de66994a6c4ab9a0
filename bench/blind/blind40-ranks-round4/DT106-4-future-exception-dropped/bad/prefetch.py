import logging
from concurrent.futures import ThreadPoolExecutor

log = logging.getLogger(__name__)


class Prefetcher:
    def __init__(self, loader, prepare):
        self.loader, self.prepare = loader, prepare
        self.pool = ThreadPoolExecutor(max_workers=1)

    def __iter__(self):
        pending = None
        for batch in self.loader:
            upcoming = self.pool.submit(self.prepare, batch)
            if pending is not None:
                yield pending
            pending = upcoming
        if pending is not None:
            yield pending

    def __len__(self):
        return len(self.loader)
