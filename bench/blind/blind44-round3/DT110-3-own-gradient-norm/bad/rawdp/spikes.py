import collections
import statistics


class SpikeFilter:
    """Lets a step through unless its gradient is far above the recent ones."""

    def __init__(self, factor=6.0, window=50):
        self.factor = factor
        self.recent = collections.deque(maxlen=window)

    def ok(self, norm):
        usual = statistics.median(self.recent) if len(self.recent) > 10 else norm
        self.recent.append(norm)
        return norm <= self.factor * usual
