"""Which units of work need not be done again? Those whose files are as they were.

One JSON file for a configuration and a set of files: what each unit found, and the content hash of every file it
looked into. Names reachable by pruning are part of the key, because they decide what a unit skips.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dtlint import cache
from dtlint.source.text import Incomplete

if TYPE_CHECKING:
    from dtlint.machine.core import Machine
    from dtlint.machine.units import Outcome, Reached, Unit
    from dtlint.project.modules import Project


class Units:
    """Where the records of one configuration lie."""

    def __init__(self, store: cache.Store, key: str) -> None:
        self.store = store
        self.key = key

    def read(self, name: str) -> dict[str, Any]:
        return self.store.read_table(f"units/{self.key}-{name}.json")

    def write(self, name: str, table: dict[str, Any]) -> None:
        self.store.write_table(f"units/{self.key}-{name}.json", table)


class Remembered:
    """The answers `known` and `done` that the division of work asks for."""

    def __init__(self, units: Units | None, project: Project, machine: Machine) -> None:
        self.units = units
        self.project = project
        self.hashes: dict[str, str] = {}
        self.records: dict[str, Any] = {}
        self.fresh: dict[str, Any] = {}
        self.changed = False
        if units is not None:
            names = "\0".join([*project.paths, "", *sorted(machine.interesting), "", *sorted(machine.meaningful)])
            self.name = hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()[:24]
            self.records = units.read(self.name)

    def known(self, unit: Unit, reached: Reached) -> Outcome | None:
        if self.units is None:
            return None
        record = self.records.get(f"{unit.phase} {unit.path}")
        try:
            if record is None or record["reached before"] != self.before(unit, reached):
                return None
            if any(self.hash_of(path) != digest for path, digest in record["touched"].items()):
                return None
            outcome = decode(unit, record)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        self.fresh[f"{unit.phase} {unit.path}"] = record
        return outcome

    def done(self, outcome: Outcome, reached: Reached) -> None:
        if self.units is None:
            return
        self.changed = True
        self.fresh[f"{outcome.unit.phase} {outcome.unit.path}"] = {
            "reached before": self.before(outcome.unit, reached),
            "touched": {path: self.hash_of(path) for path in outcome.touched},
            "findings": [asdict(finding) for finding in outcome.findings],
            "incomplete": [asdict(item) for item in outcome.incomplete],
            "reached": outcome.reached,
        }

    def save(self) -> None:
        if self.units is not None and self.changed:
            self.units.write(self.name, self.fresh)

    def hash_of(self, path: str) -> str:
        found = self.hashes.get(path)
        if found is None:
            text = self.project.text(path)
            found = self.hashes[path] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return found

    def before(self, unit: Unit, reached: Reached) -> list[str]:
        """Of the functions reached in phase one, those of this file."""
        return sorted(name for path, name in reached if path == unit.path) if unit.phase == 2 else []


def decode(unit: Unit, record: dict[str, Any]) -> Outcome:
    from dtlint.machine.units import Outcome

    return Outcome(
        unit,
        [cache.finding_from(item) for item in record["findings"]],
        [Incomplete(**item) for item in record["incomplete"]],
        [(str(path), str(name)) for path, name in record["reached"]],
        [],
    )
