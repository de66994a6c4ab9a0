"""Do the benchmarks read dtlint's answer right, and judge places as they say?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import running
from bench.judging import Place, of_codes, table, touches
from bench.probes import __main__ as probes
from bench.running import REPOSITORY, Answer, Reported, Step, check, check_here, parse

FINDING = {
    "code": "DT101",
    "path": "./a.py",
    "line": 4,
    "message": "m",
    "fingerprint": "f",
    "tier": "default",
    "trail": [{"path": "b.py", "line": 9, "text": "t"}],
}


def answered(*findings: Reported, failure: str = "") -> Answer:
    return Answer(findings, 0.1, 1 if findings else 0, failure=failure)


def reported(line: int, code: str = "DT101", path: str = "a.py", tier: str = "default") -> Reported:
    return Reported(code, path, line, "", f"{code}{line}", tier)


def test_parse_takes_findings_from_the_json_output() -> None:
    text = json.dumps({"findings": [FINDING], "summary": {"files": 2, "incomplete": [{"path": "c.py", "reason": "r"}]}})
    answer = parse(text, "", 3, 0.5)
    assert answer.findings == (Reported("DT101", "a.py", 4, "m", "f", "default", (Step("b.py", 9),)),)
    assert (answer.files, answer.incomplete, answer.failure) == (2, ("c.py:0: r",), "")


@pytest.mark.parametrize(("output", "code"), [("", 0), ("not json", 1), ('{"findings": []}', 2), ("", 4)])
def test_parse_never_takes_a_failure_for_silence(output: str, code: int) -> None:
    assert parse(output, "it broke", code, 0.0).failure


@pytest.mark.parametrize(
    ("program", "failure"),
    [
        ("while True: pass", "no answer in 1 s of the processor"),
        ("import time; time.sleep(2); print('{\"findings\": []}')", ""),
    ],
)
def test_a_limit_of_the_processor_does_not_count_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, failure: str
) -> None:
    monkeypatch.setattr(running, "command_line", lambda _: [sys.executable, "-c", program])
    assert check(tmp_path, processor_seconds=1).failure == failure


def test_a_place_is_touched_by_the_line_or_by_the_trail() -> None:
    finding = Reported("DT101", "a.py", 4, "", "", "default", (Step("b.py", 9),))
    assert touches(finding, [Place("a.py", 3, 4)])
    assert touches(finding, [Place("b.py", 9, 9)])
    assert not touches(finding, [Place("b.py", 4, 4), Place("a.py", 5, 9)])


def test_codes_match_by_prefix() -> None:
    assert of_codes(reported(1), ["DT1"])
    assert not of_codes(reported(1), ["DT102", "DT2"])


def test_table_lines_up() -> None:
    assert table([("a", 1), ("bb", 10)], ("name", "n")).splitlines() == ["name   n", "----  --", "a      1", "bb    10"]


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    root = tmp_path / "DT101-1-example"
    for twin in ("bad", "good"):
        (root / twin).mkdir(parents=True)
    places = [{"file": "a.py", "line": 4, "line_end": 5}]
    (root / "expect.json").write_text(json.dumps({"code": "DT101", "also_ok": ["DT108"], "bad": places}))
    return root


@pytest.mark.parametrize(
    ("findings", "right"),
    [
        ([reported(4)], True),
        ([reported(5, "DT108")], True),
        ([reported(4), reported(9, tier="strict")], True),
        ([], False),
        ([reported(6)], False),
        ([reported(4, "DT102")], False),
        ([reported(4), reported(9)], False),
    ],
)
def test_a_bad_twin_needs_its_finding_and_nothing_else(
    probe: Path, monkeypatch: pytest.MonkeyPatch, findings: list[Reported], right: bool
) -> None:
    monkeypatch.setattr(probes, "check", lambda root: answered(*findings) if root.name == "bad" else answered())
    bad, good = probes.judge(probe)
    assert (bad.right, good.right) == (right, True)


def test_a_good_twin_needs_silence_and_a_failure_is_not_silence(probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "check", lambda root: answered(reported(4)))
    assert [one.right for one in probes.judge(probe)] == [True, False]
    monkeypatch.setattr(probes, "check", lambda root: answered(failure="exit code 4"))
    assert [one.right for one in probes.judge(probe)] == [False, False]


def test_silence_about_what_was_not_analysed_does_not_count(probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "check", lambda root: Answer((), 0.1, 3, incomplete=("a.py:1: budget",)))
    assert [one.why for one in probes.judge(probe)] == ["incomplete: a.py:1: budget"] * 2


def test_a_correct_look_alike_is_judged_in_its_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "ok-1-example"
    root.mkdir()
    (root / "expect.json").write_text('{"code": null, "clean": true}')
    asked: list[Path] = []
    monkeypatch.setattr(probes, "check", lambda place: asked.append(place) or answered())
    (judged,) = probes.judge(root)
    assert judged.right
    assert asked == [root]


def test_what_is_known_to_be_wrong_fails_nothing(probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "check", lambda root: answered())
    assert probes.main([str(probe.parent)]) == 1
    (probe.parent.parent / probes.KNOWN).write_text(f"{probe.parent.name}/{probe.name} bad\n")
    assert probes.main([str(probe.parent)]) == 0


def test_a_quick_look_says_what_the_command_says(tmp_path: Path) -> None:
    before = Path.cwd()
    program = "import torch.distributed as dist\n\nif dist.get_rank() == 0:\n    dist.barrier()\n"
    (tmp_path / "train.py").write_text(program)
    quick, whole = check_here(tmp_path), check(tmp_path)
    assert [item.code for item in quick.findings] == ["DT101"]
    assert (quick.findings, quick.files, quick.incomplete) == (whole.findings, whole.files, whole.incomplete)
    assert Path.cwd() == before


@pytest.mark.slow
def test_each_tenth_blind_program_is_judged_as_before() -> None:
    rounds = sorted(str(path) for path in (REPOSITORY / "bench/blind").iterdir() if path.is_dir())
    assert probes.main(["--quick", "--each", "10", *rounds]) == 0
