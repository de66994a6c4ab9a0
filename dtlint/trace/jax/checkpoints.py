"""Which calls of orbax wait for all hosts? Each of them is a call of every host; the first host then does the work."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dtlint.trace.importing import when_there

if TYPE_CHECKING:
    from dtlint.trace.jax.hosts import HostAgent

alone: list[str] = []  # what a host is doing on its own, for all of them
TOGETHER = ("__init__", "save", "restore", "wait_until_finished", "close")
LOCAL = ("all_steps", "latest_step", "should_save")
SAVERS = ("CheckpointManager", "Checkpointer", "AsyncCheckpointer", "StandardCheckpointer", "PyTreeCheckpointer")
ON_EVERY_HOST = ("__init__", "restore", *LOCAL)


def listen(agent: HostAgent) -> None:
    """Orbax waits for all hosts in each of these; the first host alone then does what there is to do."""

    def patch(package: Any) -> None:
        for name in SAVERS:
            kind = getattr(package, name, None)
            for method in (*TOGETHER, *LOCAL) if kind is not None else ():
                if method in vars(kind):
                    setattr(kind, method, _on_all_hosts(agent, name, method, getattr(kind, method)))

    when_there("orbax.checkpoint", "CheckpointManager", patch)


def _on_all_hosts(agent: HostAgent, kind: str, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if alone:
            return original(self, *arguments, **options)
        if name not in LOCAL:
            agent.post(kind if name == "__init__" else f"{kind}.{name}")
        if agent.host and name not in ON_EVERY_HOST:
            return True if name == "save" else None
        with _alone(name):
            result = original(self, *arguments, **options)
            if name == "save" and hasattr(self, "wait_until_finished"):
                self.wait_until_finished()
        return result

    return method


@contextlib.contextmanager
def _alone(name: str) -> Any:
    """Inside, JAX is one process again."""
    import jax

    alone.append(name)
    before = jax.process_count, jax.process_index
    jax.process_count, jax.process_index = (lambda backend=None: 1), (lambda backend=None: 0)
    try:
        yield
    finally:
        jax.process_count, jax.process_index = before
        alone.pop()
