import functools
import time


def retry(times=3, pause=0.5):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except RuntimeError as error:
                    if attempt == times - 1:
                        raise
                    print(f"{fn.__name__}: {error}; again in {pause}s")
                    time.sleep(pause)

        return inner

    return wrap
