"""How right is a set of findings? Precision, recall and findings per bug over the programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.judging import Place, touches
from bench.mbi.baseline import pattern_findings
from bench.mbi.generate import Program
from bench.running import Reported

Findings = Mapping[str, Sequence[Reported]]  # by path


@dataclass(frozen=True, slots=True)
class Score:
    true_positives: tuple[str, ...]
    false_negatives: tuple[str, ...]
    false_positives: tuple[str, ...]
    true_negatives: int
    findings_on_bugs: int
    expected_code: int  # found, under one of the codes that name this bug

    @property
    def precision(self) -> float:
        reported = len(self.true_positives) + len(self.false_positives)
        return len(self.true_positives) / reported if reported else 0.0

    @property
    def recall(self) -> float:
        bugs = len(self.true_positives) + len(self.false_negatives)
        return len(self.true_positives) / bugs if bugs else 0.0

    @property
    def findings_per_bug(self) -> float:
        found = len(self.true_positives)
        return self.findings_on_bugs / found if found else 0.0


def score(programs: Sequence[Program], findings: Findings) -> Score:
    """A correct program with any finding is a false positive; a bad one needs a finding at a place of its bug."""
    right, missed, noise = [], [], []
    silent = on_bugs = named = 0
    for program in programs:
        reported = findings.get(program.path, ())
        if program.correct:
            if reported:
                noise.append(program.name)
            else:
                silent += 1
            continue
        places = [Place(program.path, line, line) for line in program.lines]
        hits = [item for item in reported if touches(item, places)]
        if not hits:
            missed.append(program.name)
            continue
        right.append(program.name)
        on_bugs += len(reported)
        named += any(item.code in program.codes for item in hits)
    return Score(tuple(right), tuple(missed), tuple(noise), silent, on_bugs, named)


def baseline_findings(programs: Sequence[Program]) -> dict[str, list[Reported]]:
    return {
        program.path: [
            Reported("PATTERN", program.path, line, "collective below a rank branch", "", "default")
            for line in pattern_findings(program.text)
        ]
        for program in programs
    }


def by_shape(programs: Sequence[Program], names: Sequence[str]) -> Counter[str]:
    shapes = {program.name: program.shape for program in programs}
    return Counter(shapes[name] for name in names)


def by_framework(programs: Sequence[Program], findings: Findings) -> dict[str, Score]:
    frameworks = dict.fromkeys(program.framework for program in programs)
    return {name: score([one for one in programs if one.framework == name], findings) for name in frameworks}
