import functools
import logging

log = logging.getLogger("resilience")


def tolerant(*kinds, default=None):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            try:
                return fn(*args, **kwargs)
            except kinds as err:
                log.warning("%s failed: %s", fn.__name__, err)
                raise

        return inner

    return wrap
