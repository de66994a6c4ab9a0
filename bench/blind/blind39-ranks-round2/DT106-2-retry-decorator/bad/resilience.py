import functools
import logging
import time

log = logging.getLogger(__name__)


def retry(times, wait=0.5, errors=(RuntimeError,)):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except errors as err:
                    log.warning("%s failed (%s), attempt %d", fn.__name__, err, attempt)
                    time.sleep(wait)
            return fn(*args, **kwargs)

        return inner

    return decorate
