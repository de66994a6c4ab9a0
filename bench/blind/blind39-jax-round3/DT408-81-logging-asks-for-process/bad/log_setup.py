import logging

import jax


class HostFilter(logging.Filter):
    def __init__(self, host):
        super().__init__()
        self.host = host

    def filter(self, record):
        record.host = self.host
        return self.host == 0 or record.levelno >= logging.WARNING


def configure(level=logging.INFO):
    handler = logging.StreamHandler()
    handler.addFilter(HostFilter(jax.process_index()))
    handler.setFormatter(logging.Formatter("%(asctime)s host%(host)d %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
