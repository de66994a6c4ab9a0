"""Which programs do the documents of a project start, and how?"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """Paths of programs; `*/train.py` is any of this name, where the documents write one that does not lie there."""

    alone: frozenset[str] = frozenset()
    launched: frozenset[str] = frozenset()  # by a launcher, or by something nobody knows
    launching: frozenset[str] = frozenset()  # folders of the programs that a document starts by a launcher
    numbered: frozenset[str] = frozenset()  # by the old launcher, which passes the local rank as an option

    on_one: frozenset[str] = frozenset()  # by a launcher, on one machine
    on_several: frozenset[str] = frozenset()  # by a launcher, on several machines or on nobody knows how many
    on_pods: frozenset[str] = frozenset()  # on the hosts of a pod of TPUs, which find each other by themselves

    as_one: frozenset[str] = frozenset()  # by a launcher that is told to start one process
    as_several: frozenset[str] = frozenset()  # by a launcher that starts several, or nobody knows how many

    one_device: frozenset[str] = frozenset()  # where they are shown one device only
    more_devices: frozenset[str] = frozenset()  # where they are shown several, or nobody knows how many

    asked_alone: frozenset[tuple[str, str]] = frozenset()  # a program that is started by itself, and an option it gets
    asked_launched: frozenset[tuple[str, str]] = frozenset()  # by a launcher; `*` where nobody knows which options

    always_asked: frozenset[tuple[str, str]] = frozenset()  # an option that a program gets wherever it is launched

    sharding: frozenset[str] = frozenset()  # by a launcher whose configuration divides parameters between the ranks

    accumulating: frozenset[str] = frozenset()  # by a launcher that is told how many batches make a step

    def asked_by_itself(self, path: str, option: str) -> bool:
        """Do the documents give this option to the program where they start it by itself, and never otherwise?"""
        launched = {option for place, option in self.asked_launched if among(path, frozenset((place,)))}
        return launched.isdisjoint((option, "*")) and any(
            one == option and among(path, frozenset((place,))) for place, one in self.asked_alone
        )

    def asked_wherever_launched(self, path: str, option: str) -> bool:
        """Do the documents start it by a launcher, and give it this option whenever they do?"""
        return any(one == option and among(path, frozenset((place,))) for place, one in self.always_asked)

    def by_itself(self, path: str) -> bool:
        return among(path, self.alone) and not among(path, self.launched)

    def shards(self, path: str) -> bool:
        return among(path, self.sharding)

    def accumulates(self, path: str) -> bool:
        return among(path, self.accumulating)

    def beside_launched(self, path: str) -> bool:
        """Does a launcher start this program or another of its folder?"""
        return posixpath.dirname(path) in self.launching or among(path, self.launched)

    def by_a_launcher(self, path: str) -> bool:
        return among(path, self.launched)

    def as_several_processes(self, path: str) -> bool:
        return among(path, self.as_several)

    def given_number(self, path: str) -> bool:
        """Does the old launcher start it, or another program of its folder, as far as the documents say? Who reads how
        the one is started does the same with the other."""
        if among(path, self.numbered):
            return True
        beside = {place: posixpath.join(posixpath.dirname(path), posixpath.basename(place)) for place in self.numbered}
        return not among(path, self.launched) and any(among(one, frozenset((place,))) for place, one in beside.items())

    def on_one_machine(self, path: str) -> bool:
        """Do the documents start it on one machine, and never otherwise?"""
        return among(path, self.on_one) and not among(path, self.on_several)

    def elsewhere(self, path: str) -> bool:
        """Do the documents start it on several machines, or nobody knows on how many, and never on one or on a pod?"""
        return among(path, self.on_several) and not among(path, self.on_one | self.on_pods)

    def nothing_on_several_machines(self) -> bool:
        """Do the documents start programs by a launcher, and all of them on one machine?"""
        return bool(self.on_one) and not self.on_several

    def as_one_process(self, path: str) -> bool:
        """Does the launcher start one process of it, wherever the documents start it?"""
        return among(path, self.as_one) and not among(path, self.as_several)

    def on_one_device(self, path: str) -> bool:
        """Do the documents show it one device, wherever they start it?"""
        return among(path, self.one_device) and not among(path, self.more_devices)


def among(path: str, places: frozenset[str]) -> bool:
    return path in places or any(place.startswith("*/") and same(path, place[2:]) for place in places)


def same(path: str, written: str) -> bool:
    """Is this the file, as far as the end of its path says?"""
    return path == written or path.endswith(f"/{written}") or written.endswith(f"/{path}")
