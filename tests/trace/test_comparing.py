"""What ranks saw, compared: no torch is needed to judge it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dtlint.findings import Finding, Span
from dtlint.trace import comparing
from dtlint.trace.model import Event, Outcome, Place, RankEnd, Result

SOURCE = "\n".join(f"work({number})" for number in range(1, 21)) + "\n"
LINE = 5


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "train.py").write_text(SOURCE)
    return str(tmp_path / "train.py")


def finding(code: str) -> Finding:
    return Finding(code, "slug", "wrong", "error", "default", "message", "remedy", Span("train.py", LINE, 1, LINE, 2))


def result(path: str, facts: Sequence[dict[str, Any]] = (), **more: Any) -> Result:
    answer = Result(path, 2, "lockstep", Outcome("agreed"), covered={path: {LINE: (0, 1)}}, facts=list(facts))
    for name, value in more.items():
        setattr(answer, name, value)
    return answer


def loader(path: str, samples: Sequence[str], **more: Any) -> dict[str, Any]:
    epoch = {"indices": [], "samples": list(samples), "batches": 4, "whole": True, "trains": True}
    epoch.update({name: more.pop(name) for name in tuple(more) if name in epoch})
    place = {"path": path, "line": LINE}
    known = {"made": [place], "read": [], "workers": 0, "by_worker": [], "data": None}
    return {**known, "epochs": [epoch, dict(epoch)], **more}


def samples(*loaders: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"kind": "samples", "rank": rank, "loaders": [item]} for rank, item in enumerate(loaders)]


def names(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last)]


def judge(code: str, path: str, seen: Result) -> str:
    return comparing.verdict(finding(code), path, seen).state


def test_equal_samples_confirm_and_different_ones_refute(path: str) -> None:
    same = samples(loader(path, names(0, 40)), loader(path, names(0, 40)))
    apart = samples(loader(path, names(0, 40)), loader(path, names(40, 80)))
    assert judge("DT201", path, result(path, same)) == "confirmed"
    assert judge("DT201", path, result(path, apart)) == "refuted"
    # an order that happens to be the same on this machine says nothing about others
    assert judge("DT207", path, result(path, apart)) == "inconclusive"


def test_one_padded_sample_is_not_a_shared_data_set(path: str) -> None:
    padded = samples(loader(path, names(0, 40)), loader(path, [*names(40, 79), "0"]))
    assert judge("DT201", path, result(path, padded)) == "refuted"


def test_half_an_epoch_refutes_nothing(path: str) -> None:
    apart = samples(loader(path, names(0, 40), whole=False), loader(path, names(40, 80), whole=False))
    assert judge("DT201", path, result(path, apart)) == "inconclusive"


@pytest.mark.parametrize("change", [{"trains": False}, {"samples": ["same"] * 40}, {"samples": []}])
def test_what_cannot_be_compared_stays_open(path: str, change: dict[str, Any]) -> None:
    given = {"samples": names(0, 40), **change}
    read = given.pop("samples")
    assert judge("DT201", path, result(path, samples(*[loader(path, read, **given)] * 2))) == "inconclusive"


def test_ranks_that_share_a_model_may_share_samples(path: str) -> None:
    group = Event(0, 1, "new_group", "0", (0, 1), 1, "ranks [0]", Place(path, 1))
    same = samples(*[loader(path, names(0, 40))] * 2)
    assert judge("DT201", path, result(path, same, events=[group])) == "inconclusive"


def test_workers_that_read_the_same_confirm(path: str) -> None:
    both = [names(0, 20), names(0, 20)]
    mine = [loader(path, names(at, at + 20), workers=2, by_worker=both) for at in (0, 20)]
    assert judge("DT205", path, result(path, samples(*mine))) == "confirmed"
    unseen = [loader(path, names(at, at + 20), workers=2) for at in (0, 20)]
    assert judge("DT205", path, result(path, samples(*unseen))) == "inconclusive"


def test_a_line_that_did_not_run_is_not_reached(path: str) -> None:
    same = samples(*[loader(path, names(0, 40))] * 2)
    assert judge("DT201", path, result(path, same, covered={})) == "not-reached"
    failed = Outcome("inconclusive", "rank-error", "rank 0 failed")
    assert judge("DT201", path, result(path, same, covered={}, outcome=failed)) == "inconclusive"


def test_epochs_in_the_same_order_confirm(path: str) -> None:
    mine = loader(path, [], indices=[3, 1, 2, 0])
    assert judge("DT204", path, result(path, samples(mine, mine))) == "confirmed"
    mine["epochs"][1]["indices"] = [0, 1, 2, 3]
    assert judge("DT204", path, result(path, samples(mine, mine))) == "refuted"


def test_uneven_batches_need_ranks_that_part(path: str) -> None:
    short, long = loader(path, names(0, 40)), loader(path, names(40, 88), batches=5, whole=False)
    parted = Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", "rank 1 waits")
    assert judge("DT206", path, result(path, samples(short, long), outcome=parted)) == "confirmed"
    assert judge("DT206", path, result(path, samples(short, long))) == "inconclusive"
    assert judge("DT206", path, result(path, samples(short, short), outcome=parted)) == "inconclusive"


def draws(path: str, numbers: Sequence[str], seed: str, line: int = 9) -> dict[str, Any]:
    drawn = [{"path": path, "line": line, "name": "torch.randn", "numbers": list(numbers), "generator": False}]
    return {"kind": "draws", "draws": drawn, "seeds": [{"path": path, "line": LINE, "value": seed}]}


def test_equal_numbers_after_one_seed_confirm(path: str) -> None:
    one = [{**draws(path, "abcd", "(0,)"), "rank": rank} for rank in (0, 1)]
    assert judge("DT304", path, result(path, one)) == "confirmed"
    once = [{**draws(path, "a", "(0,)"), "rank": rank} for rank in (0, 1)]
    assert judge("DT304", path, result(path, once)) == "inconclusive"
    apart = [{**draws(path, "abcd" if rank else "efgh", f"({rank},)"), "rank": rank} for rank in (0, 1)]
    assert judge("DT304", path, result(path, apart)) == "refuted"


def writes(path: str, rank: int, target: str, how: str = "open") -> dict[str, Any]:
    one = {"path": target, "how": how, "stack": [{"path": path, "line": LINE}]}
    return {"kind": "writes", "rank": rank, "writes": [one]}


def test_one_file_of_two_ranks_confirms(path: str) -> None:
    assert judge("DT702", path, result(path, [writes(path, rank, "/run/model.pt") for rank in (0, 1)])) == "confirmed"
    assert judge("DT702", path, result(path, [writes(path, rank, f"/run/{rank}.pt") for rank in (0, 1)])) == "refuted"
    assert judge("DT702", path, result(path, [writes(path, 0, "/run/model.pt")])) == "inconclusive"
    removed = [writes(path, rank, f"/run/{rank}.pt", "remove") for rank in (0, 1)]
    assert judge("DT702", path, result(path, removed)) == "inconclusive"


def test_two_ranks_may_make_one_directory_unless_the_second_fails(path: str) -> None:
    made = [writes(path, rank, "/run", "mkdir") for rank in (0, 1)]
    assert judge("DT702", path, result(path, made)) == "inconclusive"
    place = Place(path, LINE)
    ends = [RankEnd(0, "finished"), RankEnd(1, "exception", place, (place,), "FileExistsError: /run", "library")]
    assert judge("DT702", path, result(path, made, ends=ends)) == "confirmed"


def test_a_failure_at_the_line_confirms_unless_something_is_missing(path: str) -> None:
    place = Place(path, LINE)
    for text, state in (("ValueError: shuffle", "confirmed"), ("ModuleNotFoundError: x", "inconclusive")):
        ends = [RankEnd(rank, "exception", place, (place,), text, "library") for rank in (0, 1)]
        assert judge("DT203", path, result(path, ends=ends)) == state
