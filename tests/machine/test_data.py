"""Shards, loaders, generators: does the machine know what each rank gets?"""

from __future__ import annotations

import pytest

from dtlint.machine.library.meeting.evidence import evidence
from dtlint.timeline.steps.training import survey
from tests.machine.programs import run

LOOP = """
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Subset, TensorDataset
model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1))
{data}
for batch in loader:
    model(batch).sum().backward()
"""


def described(data):
    (use,) = survey(run(LOOP.format(data=data))).training()
    return use.described


@pytest.mark.parametrize(
    ("data", "gives"),
    [
        ("loader = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)", "same"),
        ("d = TensorDataset(torch.ones(8, 4)); loader = DataLoader(d, sampler=DistributedSampler(d))", "differs"),
        ("loader = DataLoader(Subset(list(range(8)), range(rank, 8, world)))", "differs"),
        ("loader = DataLoader(foreign.Reader('x'))", "unknown"),
        ("loader = DataLoader(foreign.Images('x'), shuffle=True)", "same"),
    ],
)
def test_what_a_loader_gives(data, gives):
    assert described("import foreign\n" + data).gives == gives


@pytest.mark.parametrize(
    ("cut", "uneven"),
    [
        ("items[rank::world]", True),
        ("items[: len(items) - len(items) % world][rank::world]", False),
        ("items[rank * (len(items) // world) : (rank + 1) * (len(items) // world)]", False),
        ("items[rank * (-(-len(items) // world)) : (rank + 1) * (-(-len(items) // world))]", True),
        ("[item for number, item in enumerate(items) if number % world == rank]", True),
    ],
)
def test_parts_of_a_list(cut, uneven):
    known = described(f"items = torch.load('items.pt')\nmine = {cut}\nloader = DataLoader(mine, batch_size=2)")
    assert known.gives == "differs"
    assert (known.uneven is not None) == uneven


def test_exact_lengths_tell_the_last_batch():
    part = "Subset(list(range(99)), range(rank * 20, rank * 20 + 8 + rank))"
    known = described(f"loader = DataLoader({part}, batch_size=4)")
    assert known.counts == (8, 9, 10, 11)
    assert known.uneven is not None and known.uneven.kind == "last batch"


STREAM = """
class Stream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        for number in range({start}, 96, {step}):
            yield number
loader = DataLoader(Stream(), num_workers=2)
"""


@pytest.mark.parametrize(
    ("start", "step", "gives"),
    [("rank", "world", "differs"), ("info.id", "info.num_workers", "same"), ("0", "1", "same")],
)
def test_inside_a_stream(start, step, gives):
    assert described(STREAM.format(start=start, step=step)).gives == gives


def test_generators_remember_their_seeds():
    made = run("torch.manual_seed(7)\na = torch.randn(2)\ntorch.manual_seed(7 + rank)\nb = torch.randn(2)\n")
    first, second = (event.extra["call"].extra["rng"] for event, _ in survey(made).of("draw"))
    assert (first.verdict, second.verdict) == ("same", "differs")
    assert second.cause.kind == "rank"


def test_nobody_seeded():
    made = run("a = torch.randn(2)\n")
    ((event, _),) = survey(made).of("draw")
    assert event.extra["call"].extra["rng"].verdict == "unseeded"


def test_evidence():
    assert evidence(run("")).confidence == "strong"
    assert evidence(run("import os\nrank = int(os.environ['RANK'])\nprint(rank)\n", head="")).confidence == "medium"
    assert evidence(run("print('alone')\n", head="")).confidence == "none"
