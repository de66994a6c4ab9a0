import functools
import logging
import traceback

log = logging.getLogger(__name__)


def tolerate(*kinds):
    """Log the given kinds of error with their context."""

    def wrap(fn):
        @functools.wraps(fn)
        def call(*args, **kwargs):
            try:
                return fn(*args, **kwargs)
            except kinds as err:
                log.error("%s failed: %s\n%s", fn.__name__, err, traceback.format_exc())
                return None

        return call

    return wrap
