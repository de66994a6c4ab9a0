import signal
from contextvars import ContextVar

asked: ContextVar[bool] = ContextVar("asked", default=False)


class Preemption:
    def __init__(self):
        self.asked = False

    def install(self):
        signal.signal(signal.SIGTERM, self._note)
        return self

    def _note(self, number, frame):
        self.asked = True
