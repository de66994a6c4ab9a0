"""Which units of work need not be done again? Those of which nothing has changed that they looked into.

One JSON file for a configuration and a set of files: what each unit found and what it rests on, a sketch of every
file as it was then, and what each of them said to questions that are asked of all. Names reachable by pruning are part
of the key, because they decide what a unit skips.
"""

from __future__ import annotations

from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any

from dtlint import cache
from dtlint.launch.said import Said
from dtlint.project.changes import ASKED, IMPORTS, WORD, Change, Sketch, compare, digest, sketch, written_elsewhere
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
        self.records: dict[str, Any] = {}
        self.fresh: dict[str, Any] = {}
        self.sketches: dict[str, Sketch] = {}
        self.changes: dict[str, Change] = {}
        self.answers: dict[str, dict[str, bool]] = {}  # of each question to the whole project, file by file
        self.machine = machine
        self.new_work = False
        if units is None:
            return
        modules = [f"{path} {project.name_of(path)}" for path in project.paths]
        told = [str(sorted(found) if isinstance(found, frozenset) else found) for found in astuple(project.started)]
        words = [*sorted(machine.interesting), "", *sorted(machine.meaningful)]
        settings = map(str, (*project.words, *project.settings))
        self.name = digest("\0".join([*modules, "", *words, "", *told, "", *settings, "", str(project.pins)]))
        stored = units.read(self.name)
        try:
            before = {path: Sketch.from_plain(held) for path, held in stored["files"].items()}
            self.records = dict(stored["units"])
            answered = {name: dict(answers) for name, answers in stored["answers"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            before, self.records, answered = {}, {}, {}
        for path in project.paths:
            self._look(path, before.get(path))
        self.sketches[IMPORTS] = imports = Sketch(digest(project.imports_in_short()), "", {}, {})
        if before.get(IMPORTS, imports) != imports:
            self.changes[IMPORTS] = Change(outline=False, bodies=frozenset())
        for word, sketched in before.items():
            if word.startswith(WORD):
                self._ask(word)
                if self.sketches[word] != sketched:
                    self.changes[word] = Change(outline=False, bodies=frozenset())
        same = {path for path, sketched in before.items() if self.sketches.get(path) == sketched}
        for name, answers in answered.items():
            self._ask_files(name, {path: answer for path, answer in answers.items() if path in same})
            if any(answers.values()) != any(self.answers[name].values()):
                self.changes[name] = Change(outline=False, bodies=frozenset())

    def _ask_files(self, name: str, known: dict[str, bool]) -> None:
        """What each file says to a question of the whole project; `known` are the answers of files that have not
        changed."""
        from dtlint.machine.library import whole_project

        question = whole_project.named(name)
        asked = whole_project.in_file
        self.answers[name] = {
            path: known[path] if path in known else asked(self.machine, question, path)
            for path in self.project.selected
        }
        self.machine.notes[name.removeprefix(ASKED)] = any(self.answers[name].values())

    def _ask(self, word: str) -> None:
        files = self.project.files_with(word.removeprefix(WORD))
        self.sketches[word] = Sketch(digest("\0".join(files)), "", {}, {})

    def _look(self, path: str, before: Sketch | None) -> None:
        text = self.project.text(path)
        if before is not None and before.text == digest(text):
            self.sketches[path] = before
            return
        now = self.sketches[path] = drawn(self.project, path)
        if before is not None:
            texts = [(other, self.project.text(other)) for other in self.project.paths]
            self.changes[path] = compare(before, now, lambda name: written_elsewhere(name, path, texts))

    def known(self, unit: Unit, reached: Reached) -> Outcome | None:
        record = self.records.get(f"{unit.phase} {unit.path}")
        if record is None:
            return None
        try:
            if record["reached before"] != self.before(unit, reached, record["touched"]) or self.is_stale(record):
                return None
            outcome = decode(unit, record)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        self.fresh[f"{unit.phase} {unit.path}"] = record
        return outcome

    def is_stale(self, record: dict[str, Any]) -> bool:
        for path, change in self.changes.items():
            if path in record["whole"] or (change.outline and path in record["touched"]):
                return True
            if not change.bodies.isdisjoint(record["consulted"].get(path, ())):
                return True
        return False

    def done(self, outcome: Outcome, reached: Reached) -> None:
        if self.units is None:
            return
        self.new_work = True
        for word in outcome.whole:
            if word.startswith(WORD) and word not in self.sketches:
                self._ask(word)
            if word.startswith(ASKED) and word not in self.answers:
                self._ask_files(word, {})
        consulted: dict[str, list[str]] = {}
        for path, name in outcome.consulted:
            consulted.setdefault(path, []).append(name)
        self.fresh[f"{outcome.unit.phase} {outcome.unit.path}"] = {
            "reached before": self.before(outcome.unit, reached, outcome.touched),
            "touched": outcome.touched,
            "consulted": consulted,
            "whole": outcome.whole,
            "findings": [asdict(finding) for finding in outcome.findings],
            "incomplete": [asdict(item) for item in outcome.incomplete],
            "said": [asdict(item) for item in outcome.said],
            "reached": outcome.reached,
        }

    def save(self) -> None:
        if self.units is not None and (self.new_work or self.changes):
            files = {path: drawing.plain() for path, drawing in self.sketches.items()}
            self.units.write(self.name, {"files": files, "units": self.fresh, "answers": self.answers})

    def before(self, unit: Unit, reached: Reached, touched: list[str]) -> list[str]:
        """Of the functions reached in phase one, those of this file and of the files it comes to."""
        files = {unit.path, *touched}
        return sorted(f"{path} {name}" for path, name in reached if path in files) if unit.phase == 2 else []


def drawn(project: Project, path: str) -> Sketch:
    """Of a file that is not analysed, its text is all there is to compare."""
    from dtlint.ir.functions import functions_of

    text = project.text(path)
    if path not in project.selected:
        return Sketch(digest(text), digest(text), {}, {})
    tree = project.tree(path)
    return sketch(text, tree, [function for function, _ in functions_of(tree)])


def decode(unit: Unit, record: dict[str, Any]) -> Outcome:
    from dtlint.machine.units import Outcome

    return Outcome(
        unit,
        [cache.finding_from(item) for item in record["findings"]],
        [Incomplete(**item) for item in record["incomplete"]],
        [Said(**item) for item in record["said"]],
        [(str(path), str(name)) for path, name in record["reached"]],
    )
