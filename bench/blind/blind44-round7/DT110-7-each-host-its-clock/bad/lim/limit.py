import time


class Limit:
    def __init__(self, hours):
        self.end = time.monotonic() + 3600 * hours

    def reached(self):
        return time.monotonic() >= self.end
