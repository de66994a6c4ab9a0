"""Which findings on the pinned packages has somebody looked at, and were they right?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench import configuration
from bench.running import Reported

TRIAGE = Path(__file__).resolve().parent / "triage.toml"
VERDICTS = ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Judgement:
    package: str
    fingerprint: str
    code: str
    where: str
    verdict: str
    why: str  # one sentence


def judgements(path: Path = TRIAGE) -> dict[tuple[str, str], Judgement]:
    """By package and fingerprint."""
    found: dict[tuple[str, str], Judgement] = {}
    for row in configuration.load(path).get("finding", ()):
        one = Judgement(**row)
        if one.verdict not in VERDICTS:
            raise ValueError(f"{path.name}: {one.where}: verdict {one.verdict!r} is not one of {VERDICTS}")
        if not one.why.strip():
            raise ValueError(f"{path.name}: {one.where}: says nothing")
        if (one.package, one.fingerprint) in found:
            raise ValueError(f"{path.name}: {one.where}: judged twice")
        found[(one.package, one.fingerprint)] = one
    return found


def suggested(package: str, item: Reported) -> str:
    """A row to complete by hand: the verdict is left open on purpose."""
    fields = {
        "package": package,
        "fingerprint": item.fingerprint,
        "code": item.code,
        "where": f"{item.path}:{item.line}",
        "verdict": "?",
        "why": "",
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return f"\n# {item.message}\n[[finding]]\n" + "\n".join(lines)
