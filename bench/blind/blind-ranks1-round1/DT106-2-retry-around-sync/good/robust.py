import functools
import logging
import time

log = logging.getLogger("robust")


def retry(times=3, wait=0.5, on=(OSError,)):
    """Call again when the file system hiccups."""

    def decorate(fn):
        @functools.wraps(fn)
        def wrapped(*args, **kwargs):
            for attempt in range(1, times + 1):
                try:
                    return fn(*args, **kwargs)
                except on as error:
                    if attempt == times:
                        raise
                    log.warning("%s failed (%s), attempt %d", fn.__name__, error, attempt)
                    time.sleep(wait * attempt)

        return wrapped

    return decorate
