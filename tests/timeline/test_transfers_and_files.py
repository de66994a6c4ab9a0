"""Messages that never meet, works nobody waits for, files that race: the questions of DT112–DT117, DT7 and DT8."""

from __future__ import annotations

import pytest

from dtlint.timeline.places.files import accesses, overlap
from dtlint.timeline.places.own_names import rank_local_names
from dtlint.timeline.places.races import races
from dtlint.timeline.places.writers import shared_writes
from dtlint.timeline.places.wrong_scopes import wrong_scopes
from dtlint.timeline.ranks.managers import review
from dtlint.timeline.ranks.pairing import trail_of, unpaired
from dtlint.timeline.records import recorded
from dtlint.timeline.steps.parts import differing_models
from tests.machine.programs import run

TENSOR = "x = torch.ones(3)\ny = torch.empty(3)\n"


def first(body: str):
    return run(body)


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("dist.send(x, dst=(rank + 1) % world)\ndist.recv(y, src=(rank - 1) % world)\n", ["cycle"]),
        ("if rank == 0:\n    dist.send(x, dst=1)\nelif rank == 1:\n    dist.recv(x, src=0)\n", []),
        ("if rank == 0:\n    dist.send(x, dst=1)\n", ["unmatched"]),
        ("if rank == 0:\n    dist.send(x, 1, tag=3)\nelif rank == 1:\n    dist.recv(x, 0, tag=4)\n", ["unmatched"]),
        ("a = dist.isend(x, (rank + 1) % world)\nb = dist.irecv(y, (rank - 1) % world)\na.wait()\nb.wait()\n", []),
        ("for _ in range(9):\n    if rank > 0:\n        dist.recv(x, src=rank - 1)\n"
         "    if rank < world - 1:\n        dist.send(x, dst=rank + 1)\n", []),
    ],
)  # fmt: skip
def test_messages_meet_or_not(body, reasons):
    assert [one.reason for one in unpaired(first(TENSOR + body))] == reasons


def test_what_keeps_a_rank_from_the_other_half_is_told():
    body = "if rank == 0:\n    dist.send(x, dst=1)\n    dist.recv(y, src=1)\nif rank == 1:\n    dist.recv(y, src=0)\n"
    body += "if rank == 3:\n    dist.send(x, dst=0)\n"
    made = first(TENSOR + body)
    (found,) = [one for one in unpaired(made) if one.event.op == "recv"]
    assert any("rank == 3" in step.text for step in trail_of(made, found))


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("dist.all_reduce(x, async_op=True)\n", ["dropped-work"]),
        ("w = dist.all_reduce(x, async_op=True)\nx /= world\nw.wait()\n", ["early-use"]),
        ("w = dist.all_reduce(x, async_op=True)\nw.wait()\nx /= world\n", []),
        ("ws = [dist.all_reduce(x, async_op=True)]\nfor w in ws:\n    w.wait()\nprint(x.sum())\n", []),
    ],
)
def test_works_are_waited_for_or_not(body, kinds):
    made = first(TENSOR + body)
    assert [event.op for event, _ in recorded(made, "dropped-work", "early-use")] == kinds


def test_a_result_is_used_where_it_is_not():
    used = first(TENSOR + "dist.reduce(x, dst=0)\nprint(x.sum())\n")
    assert [event.op for event, _ in recorded(used, "off-root-use")] == ["off-root-use"]
    kept = first(TENSOR + "dist.reduce(x, dst=0)\nif rank == 0:\n    print(x.sum())\n")
    assert not list(recorded(kept, "off-root-use"))


def test_models_differ_where_their_gradients_are_shared():
    wrap = "from torch.nn.parallel import DistributedDataParallel as DDP\n"
    body = (
        wrap + "net = nn.Sequential(nn.Linear(4, 4))\nif rank == 0:\n    net[0] = nn.Linear(4, 8)\nmodel = DDP(net)\n"
    )
    assert [one.difference.kind for one in differing_models(first(body))] == ["built"]
    same = wrap + "net = nn.Sequential(nn.Linear(4, 4))\nnet[0] = nn.Linear(4, 8)\nmodel = DDP(net)\n"
    assert not list(differing_models(first(same)))


FILES = "from pathlib import Path\nimport time, datetime\nfolder = Path(os.environ.get('OUT', 'out'))\n"


def test_one_place_in_several_spellings():
    body = FILES + (
        "torch.save(x, folder / 'a.pt')\ntorch.save(x, os.path.join(folder, 'a.pt'))\ntorch.save(x, f'{folder}/a.pt')\n"
    )
    assert len({one.places for one in accesses(first("x = 1\n" + body))}) == 1
    assert overlap("a/b", "a") and not overlap("a/bc", "a/b")


@pytest.mark.parametrize(
    ("between", "count"),
    [("", 1), ("dist.barrier()\n", 0), ("while not path.exists():\n    time.sleep(1)\n", 0)],
)
def test_a_reader_waits_for_the_writer_or_not(between, count):
    body = FILES + "path = folder / 'a.txt'\nif rank == 0:\n    path.write_text('x')\n" + between + "path.read_text()\n"
    assert len(list(races(first(body)))) == count


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("(folder / 'a.txt').write_text('x')", 1),
        ("(folder / f'{rank}.txt').write_text('x')", 0),
        ("folder.mkdir()", 1),
        ("folder.mkdir(exist_ok=True)", 0),
        ("if rank == 0: (folder / 'a.txt').write_text('x')", 0),
    ],
)
def test_writes_at_one_place(line, count):
    assert len(list(shared_writes(first(FILES + line + "\n")))) == count


def test_guards_and_names():
    local = "if int(os.environ['LOCAL_RANK']) == 0:\n    torch.save(1, folder / 'a.pt')\n"
    assert [one.kind for one in wrong_scopes(first(FILES + local))] == ["shared"]
    assert list(wrong_scopes(run(FILES + local, world="1x4"))) == []  # on one host the first of the node is rank 0
    clock = "run = Path('runs') / datetime.datetime.now().strftime('%f')\nrun.mkdir(exist_ok=True)\n"
    assert len(list(rank_local_names(first(FILES + clock)))) == 1


def test_a_manager_needs_a_quorum_on_every_way():
    head = "from torchft import Manager\nmanager = Manager(pg=None)\nx = torch.ones(2)\n"
    early = review(first(head + "manager.allreduce(x).wait()\nmanager.should_commit()\n"))
    assert early is not None and len(early.early) == 1
    fine = review(first(head + "manager.start_quorum()\nmanager.allreduce(x).wait()\nmanager.should_commit()\n"))
    assert fine is not None and not fine.early
