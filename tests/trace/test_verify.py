"""Findings are confirmed when they are seen happening, refuted only on good grounds, and never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint.findings import Finding, Span, Step
from dtlint.trace import locate
from dtlint.trace.verify import verify

HEAD = "import torch\nimport torch.distributed as dist\n"
BODY = {
    "picky.py": """
def main():
    dist.init_process_group("gloo")
    for step in range(3):
        try:
            value = torch.ones(1) + step
            dist.all_reduce(value)
        except RuntimeError as error:
            if "odd trouble" in str(error):
                dist.barrier()  # DT105 confirmed
            elif "never" in str(error) and step > 5:
                dist.barrier()  # DT105 inconclusive
            else:
                raise


if __name__ == "__main__":
    main()
""",
    "guarded.py": """
def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # DT101 confirmed
    dist.all_reduce(torch.ones(1))


if __name__ == "__main__":
    main()
""",
    "swallowed.py": """
def main():
    dist.init_process_group("gloo")
    for step in range(3):
        try:
            value = torch.ones(1) + step
            dist.all_reduce(value)
        except ValueError:  # DT106 confirmed
            continue
    try:
        value = torch.ones(1)
    except ValueError:  # DT106 inconclusive
        raise
    dist.barrier()


if __name__ == "__main__":
    main()
""",
    "decided.py": """
import time


def main():
    dist.init_process_group("gloo")
    begin = time.time()
    for step in range(3):
        if time.time() - begin > 3600:  # DT110 confirmed
            break
        dist.all_reduce(torch.ones(1))


if __name__ == "__main__":
    main()
""",
    "fine.py": """
def main():
    dist.init_process_group("gloo")
    for step in range(2):
        if step == 0:
            dist.barrier()  # DT101 refuted
        else:
            dist.all_reduce(torch.ones(1))
    if dist.get_rank() == 5:
        dist.barrier()  # DT101 not-reached


if __name__ == "__main__":
    main()
""",
    "helper.py": """
def summarise():
    if dist.get_rank() != 0:
        return  # DT102 confirmed
    dist.barrier()
""",
    "uses_helper.py": """
from helper import summarise


if __name__ == "__main__":
    dist.init_process_group("gloo")
    summarise()
""",
    "failing.py": """
if __name__ == "__main__":
    dist.init_process_group("gloo")
    open("no such file")
    if dist.get_rank() == 0:
        dist.barrier()  # DT101 inconclusive
""",
}


def finding(code: str, path: str, line: int) -> Finding:
    span = Span(path, line, 1, line, 2)
    return Finding(code, "slug", "hang", "error", "default", "message", "remedy", span, trail=(Step(path, 1, "rank"),))


def project(root: Path) -> tuple[list[Finding], list[str]]:
    findings, expected = [], []
    for name, body in BODY.items():
        text = HEAD + body
        (root / name).write_text(text)
        for number, line in enumerate(text.splitlines(), 1):
            if "  # DT" in line:
                code, state = line.rpartition("  # ")[2].split()
                findings.append(finding(code, name, number))
                expected.append(state)
    return findings, expected


@pytest.mark.trace
def test_verdicts_of_runs(tmp_path: Path, torch_python: str) -> None:
    findings, expected = project(tmp_path)
    verified = verify(findings, tmp_path, "run", 300, python=torch_python)
    shown = [(item.span.path, item.span.line, item.verdict) for item in verified]
    # a failure before anything communicates is the one that `raise` lets through
    assert [item.verdict.state for item in verified] == [
        "refuted" if state == "inconclusive" and item.code == "DT106" else state
        for item, state in zip(verified, expected)
    ], shown
    assert all(item.verdict.strength == "run" for item in verified)


@pytest.mark.trace
def test_an_empty_budget_leaves_everything_open(tmp_path: Path, torch_python: str) -> None:
    findings, _ = project(tmp_path)
    verified = verify(findings, tmp_path, "run", 0, python=torch_python)
    assert len(verified) == len(findings)
    assert {item.verdict.reason for item in verified} == {"budget"}


FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
SEEN = [
    ("DT201", "loader_without_sampler", "confirmed"),
    ("DT203", "shuffle_with_sampler", "confirmed"),
    ("DT204", "wrong_object", "confirmed"),
    ("DT205", "rank_not_worker", "confirmed"),
    ("DT207", "listdir_before_shard", "confirmed"),
    ("DT207", "set_order", "inconclusive"),
    ("DT304", "diffusion_noise", "confirmed"),
    ("DT702", "save_on_all_ranks", "confirmed"),
    ("DT702", "mkdir_without_flag", "confirmed"),
]


@pytest.mark.trace
def test_data_numbers_and_files_are_compared(torch_python: str) -> None:
    findings, expected = [], []
    for code, name, state in SEEN:
        path = f"{code}/{name}.py"
        lines = (FIXTURES / path).read_text().splitlines()
        line = next(number for number, text in enumerate(lines, 1) if f"want: {code}" in text)
        findings.append(Finding(code, "slug", "wrong", "error", "default", "", "", Span(path, line, 1, line, 2)))
        expected.append(state)
    verified = verify(findings, FIXTURES, "run", 300, python=torch_python)
    assert [item.verdict.state for item in verified] == expected, [item.verdict for item in verified]


@pytest.mark.trace
def test_findings_in_jax_programs_are_run_with_jax(torch_python: str) -> None:
    path = "DT406/cond_on_axis_index.py"
    lines = (FIXTURES / path).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "want: DT406" in text)
    span = Span(path, line, 1, line, 2)
    (found,) = verify([Finding("DT406", "slug", "hang", "error", "default", "", "", span)], FIXTURES, "run", 120,
                      python=torch_python)  # fmt: skip
    if "no jax" in found.verdict.reason:
        pytest.skip(found.verdict.reason)
    assert found.verdict.state == "confirmed", found.verdict


def test_without_torch_nothing_is_decided(tmp_path: Path) -> None:
    findings, _ = project(tmp_path)
    verified = verify(findings, tmp_path, "run", 10, python=str(tmp_path / "no-python"))
    assert {item.verdict.state for item in verified} == {"inconclusive"}


def test_the_script_is_found_through_imports(tmp_path: Path) -> None:
    project(tmp_path)
    found = locate.scripts_for(str(tmp_path / "helper.py"), str(tmp_path))
    assert [Path(path).name for path in found] == ["uses_helper.py"]
    assert locate.scripts_for(str(tmp_path / "fine.py"), str(tmp_path)) == [str(tmp_path / "fine.py")]


def test_a_module_beside_the_script_goes_before_one_of_that_name_elsewhere(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rows.py").write_text("def rows(): ...\n")
        (tmp_path / folder / "train.py").write_text('import rows\nif __name__ == "__main__":\n    rows.rows()\n')
    found = locate.scripts_for(str(tmp_path / "one" / "rows.py"), str(tmp_path))
    assert [Path(path).relative_to(tmp_path).as_posix() for path in found] == ["one/train.py"]


def test_the_failure_says_what_its_handler_looks_for(tmp_path: Path) -> None:
    path = tmp_path / "picky.py"
    path.write_text(
        "try:\n    step()\nexcept RuntimeError as error:\n"
        "    if 'out of memory' in str(error):\n        barrier()\n    else:\n        raise\n"
    )
    assert locate.failure_for(str(path), 5) == locate.Failure(2, "RuntimeError", 4, "out of memory", 2)
    assert locate.failure_for(str(path), 7) == locate.Failure(2, "RuntimeError", 4, "", 2)


def test_the_try_body_of_a_handler_is_found(tmp_path: Path) -> None:
    path = tmp_path / "nested.py"
    path.write_text(
        "try:\n    outer()\nexcept OSError:\n"
        "    try:\n        inner()\n    except (KeyError, ValueError):\n        pass\n"
        "finally:\n    close()\nwith suppress(TypeError):\n    work()\n"
    )
    assert locate.failure_for(str(path), 6) == locate.Failure(5, "(KeyError, ValueError)", 7, "", 5)
    assert locate.failure_for(str(path), 3) == locate.Failure(2, "OSError", 4, "", 2)
    assert locate.failure_for(str(path), 9) == locate.Failure(2, "", 9, "", 2)
    assert locate.failure_for(str(path), 10) == locate.Failure(11, "TypeError", 0, "", 11)
