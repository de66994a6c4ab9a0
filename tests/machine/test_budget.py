"""Does code that branches a lot stay affordable, and is a bug in it still seen?"""

from __future__ import annotations

from tests.machine.programs import codes, runs

MANAGERS = """
import contextlib

@contextlib.contextmanager
def precision(kind):
    if kind == "fp32":
        if torch.cuda.is_available():
            yield
        else:
            yield
    elif kind == "fp16":
        yield
    elif kind == "bf16":
        yield
    else:
        yield

def nested(kinds, batch):
    with precision(kinds.a), precision(kinds.b), precision(kinds.c), precision(kinds.d), precision(kinds.e):
        with precision(kinds.f), precision(kinds.g), precision(kinds.h), precision(kinds.i), precision(kinds.j):
            total = batch.sum()
            if rank == 0:
                dist.all_reduce(total)

nested(torch.load("kinds"), torch.ones(2))
"""


def test_the_body_of_a_with_is_run_once_however_many_yields_its_manager_has():
    (run,) = runs(MANAGERS, budget=400)
    assert run.incomplete == []
    assert codes(MANAGERS) == ["DT101"]


TRAINER = """
class Trainer:
    def __init__(self):
        self.model = None

    def build(self):
        self.model = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
        for _ in os.environ["EPOCHS"]:
            for _ in os.environ["STEPS"]:
                self.model(torch.ones(2))
                self.model(torch.ones(2))

    def evaluate(self):
        if rank == 0:
            self.model(torch.ones(2))
            dist.barrier()
"""


def test_a_method_that_costs_too_much_is_no_set_up_and_no_reason_to_give_up_the_others(monkeypatch):
    monkeypatch.setattr("dtlint.machine.starts.set_up.COST", 5)
    by_name = {run.entry.name: run for run in runs(TRAINER)}
    assert by_name["Trainer.evaluate"].incomplete == []
    assert codes(TRAINER) == ["DT108"]


def computing(layers: int) -> str:
    """Each layer calls the next one twice; all of them draw numbers, and nobody talks to another rank."""
    lines = ["def layer_0(x):", "    return x + torch.rand(2)"]
    for layer in range(1, layers):
        inner = f"layer_{layer - 1}"
        lines += [f"def layer_{layer}(x):", f"    y = {inner}(x) + torch.rand(2)", f"    return {inner}(y) * x"]
    lines += ["def train():", f"    layer_{layers - 1}(torch.ones(2))", "    if rank == 0:", "        dist.barrier()"]
    return "\n".join([*lines, "train()"])


def test_what_comes_late_in_a_large_program_is_still_seen(monkeypatch):
    """Most of the steps would go into computing that talks to nobody."""
    monkeypatch.setattr("dtlint.machine.run.BUDGET", 1_000)
    program = computing(9)
    assert [run.incomplete for run in runs(program)] == [[]]
    assert codes(program) == ["DT101"]
