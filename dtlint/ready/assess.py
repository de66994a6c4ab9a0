"""Which lines of the check-list hold, which fail, and which cannot be told?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from dtlint.findings import Finding
from dtlint.launch.project import Launches
from dtlint.ready.facts import Fact, Facts
from dtlint.ready.items import ITEMS, SECTIONS, Item
from dtlint.ready.starting import start_answers
from dtlint.ready.waste import Waste, wasted
from dtlint.source.text import Incomplete


class Mark(Enum):
    WORKS = "works"
    FAILS = "critical"
    UNKNOWN = "cannot tell"


class Verdict(Enum):
    READY = "ready"
    NOT_READY = "not ready"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of the list, answered."""

    section: str
    title: str
    mark: Mark
    text: str
    facts: tuple[Fact, ...] = ()
    findings: tuple[Finding, ...] = ()
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Readiness:
    target: str
    answers: tuple[Answer, ...]
    waste: tuple[Waste, ...]
    incomplete: tuple[Incomplete, ...] = ()

    @property
    def verdict(self) -> Verdict:
        marks = {answer.mark for answer in self.answers}
        if Mark.FAILS in marks:
            return Verdict.NOT_READY
        unsure = any(answer.mark is Mark.UNKNOWN and answer.critical for answer in self.answers)
        return Verdict.UNKNOWN if unsure or self.incomplete else Verdict.READY

    def section(self, name: str) -> list[Answer]:
        return [answer for answer in self.answers if answer.section == name]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the list is answered from. `rules` are the codes of the rules that looked at the program."""

    findings: Sequence[Finding]
    facts: Facts
    launches: Launches
    rules: frozenset[str]
    incomplete: tuple[Incomplete, ...] = ()
    hosts: int | None = None  # as the user says


def assess(evidence: Evidence, target: str) -> Readiness:
    answers = [answer for item in ITEMS if target in item.targets and (answer := _answer(item, evidence)) is not None]
    for started in start_answers(evidence.launches, evidence.findings, target):
        mark = Mark.FAILS if started.findings else Mark.WORKS if started.works else Mark.UNKNOWN
        answers.append(
            Answer("launch", started.title, mark, started.text, started.facts, started.findings, started.critical)
        )
    told = {finding for answer in answers for finding in answer.findings}
    rest = [finding for finding in evidence.findings if finding not in told]
    if rest:
        answers.append(_others(rest))
    answers.sort(key=lambda answer: SECTIONS.index(answer.section))
    waste = wasted(evidence.findings, evidence.facts, evidence.launches, evidence.hosts)
    return Readiness(target, tuple(answers), tuple(waste), evidence.incomplete)


def _answer(item: Item, evidence: Evidence) -> Answer | None:
    found = tuple(filter(item.fails, evidence.findings))
    if found:
        return _made(item, Mark.FAILS, found[0].message, findings=found)
    if item.of_all_ranks and (others := _hangs(evidence.findings)):
        return _made(item, Mark.FAILS, f"not where {' and '.join(others)} in this list say otherwise")
    shown = _of_the_job(evidence.facts, item.shows)
    needed = evidence.facts.of(*item.needs) if item.needs else ()
    if item.needs and not needed and not shown:
        return None
    looked_for = item.rules[:1] if item.silence else item.rules
    if not evidence.rules.intersection(looked_for) and not (shown and not item.critical):
        return _made(item, Mark.UNKNOWN, f"the check has no rule for it ({', '.join(looked_for)})", shown)
    if shown:
        return _made(item, Mark.WORKS, _names(shown), shown)
    if item.silence:
        return _made(item, Mark.WORKS, "nothing found that speaks against it")
    return _made(item, Mark.UNKNOWN, item.unknown)


def _hangs(findings: Sequence[Finding]) -> list[str]:
    """Codes of what makes ranks wait for each other in vain, in the program itself."""
    return sorted({found.code for found in findings if found.effect == "hang" and not found.code.startswith("DT9")})


def _of_the_job(facts: Facts, kinds: tuple[str, ...]) -> tuple[Fact, ...]:
    """What shows it, the files of the job itself before scripts that stand beside it."""
    if not kinds:
        return ()
    job = {fact.path for fact in facts.of("initialise", "initialise-torch", "parameter-sharding")}
    return tuple(sorted(facts.of(*kinds), key=lambda fact: fact.path not in job))


def _made(item: Item, mark: Mark, text: str, facts: Iterable[Fact] = (), findings: tuple[Finding, ...] = ()) -> Answer:
    return Answer(item.section, item.title, mark, text, tuple(facts), findings, item.critical)


def _names(facts: Sequence[Fact]) -> str:
    """The calls that show it, each once: `jax.make_mesh()`, `jax.jit()`."""
    names = list(dict.fromkeys(fact.text for fact in facts))
    shown = ", ".join(f"`{name}`" if name.endswith("()") else name for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _others(findings: list[Finding]) -> Answer:
    """Findings that no line of the list asks for still count."""
    codes = ", ".join(sorted({finding.code for finding in findings}))
    return Answer(
        "agreement of ranks",
        "nothing else was found",
        Mark.FAILS,
        f"{codes}: {findings[0].message}",
        findings=tuple(findings),
    )
