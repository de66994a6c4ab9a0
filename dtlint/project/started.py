"""Which programs do the documents of a project start, and how?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """Paths as the documents write them."""

    alone: frozenset[str] = frozenset()
    launched: frozenset[str] = frozenset()  # by a launcher, or by something nobody knows
    launching: bool = False  # does a document start anything by a launcher?
    numbered: frozenset[str] = frozenset()  # by the old launcher, which passes the local rank as an option

    on_one: frozenset[str] = frozenset()  # by a launcher, on one machine
    on_several: frozenset[str] = frozenset()  # by a launcher, on several machines or on nobody knows how many

    def by_itself(self, path: str) -> bool:
        return any(same(path, one) for one in self.alone) and not any(same(path, one) for one in self.launched)

    def given_number(self, path: str) -> bool:
        return any(same(path, one) for one in self.numbered)

    def on_one_machine(self, path: str) -> bool:
        """Do the documents start it on one machine, and never otherwise?"""
        return any(same(path, one) for one in self.on_one) and not any(same(path, one) for one in self.on_several)


def same(path: str, written: str) -> bool:
    """Is this the file, as far as the end of its path says?"""
    return path == written or path.endswith(f"/{written}") or written.endswith(f"/{path}")
