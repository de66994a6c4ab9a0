from collections import defaultdict
from typing import Any, Callable

Handler = Callable[..., None]


class EventBus:
    """Handlers run in the order in which they were registered."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = defaultdict(list)

    def on(self, event: str) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            self._handlers[event].append(handler)
            return handler

        return register

    def emit(self, event: str, /, **payload: Any) -> None:
        for handler in self._handlers[event]:
            handler(**payload)
