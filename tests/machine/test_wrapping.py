"""Which models communicate after they were wrapped, and what do frameworks hand back?"""

from __future__ import annotations

import pytest

from tests.machine.programs import events, run

MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)
"""
ACCELERATE = MODEL + "from accelerate import Accelerator\naccelerator = Accelerator({})\n"


def test_prepare_gives_as_many_values_back_and_wraps_the_model():
    made = run(
        ACCELERATE.format("")
        + "model, optimizer = accelerator.prepare(Net(), torch.optim.SGD([], lr=1))\n"
        + "loss = model(torch.ones(2)).sum()\naccelerator.backward(loss)\noptimizer.step()\n"
    )
    assert events(made) == [("wrap", "1111"), ("forward", "1111"), ("backward", "1111")]


def test_prepare_of_one_thing_gives_one_thing_back():
    made = run(ACCELERATE.format("") + "model = accelerator.prepare(Net())\nmodel(torch.ones(2))\n")
    assert events(made) == [("wrap", "1111"), ("forward", "1111")]


@pytest.mark.parametrize("options, talks", [("", False), ("fsdp_plugin=object()", True), ("fsdp_plugin=None", False)])
def test_a_state_dict_is_gathered_where_parameters_are_sharded(options, talks):
    made = run(
        ACCELERATE.format(options) + "model = accelerator.prepare(Net())\nstate = accelerator.get_state_dict(model)\n"
    )
    assert (events(made)[1:] != []) == talks


@pytest.mark.parametrize("stage, talks", [(2, False), (3, True)])
def test_the_stage_of_zero_decides_whether_the_program_is_sharded(stage, talks):
    made = run(
        MODEL + "import deepspeed\n"
        f"config = {{'zero_optimization': {{'stage': {stage}}}}}\n"
        "engine, _, _, _ = deepspeed.initialize(model=Net(), config=config)\n"
    )
    assert events(made) == [("wrap", "1111")]
    assert bool(made.facts.get("sharded")) == talks


def test_fully_shard_changes_the_module_itself():
    made = run(MODEL + "from torch.distributed.fsdp import fully_shard\nmodel = Net()\nfully_shard(model)\nmodel(1)\n")
    assert events(made) == [("wrap", "1111"), ("forward", "1111")]


def test_the_inner_module_talks_to_nobody():
    made = run(MODEL + "model = nn.parallel.DistributedDataParallel(Net())\nmodel.module(torch.ones(2))\n")
    assert events(made) == [("wrap", "1111")]


@pytest.mark.parametrize("wrapper, talks", [("nn.parallel.DistributedDataParallel", False), ("FSDP", True)])
def test_evaluating_a_replica_without_gradients_talks_to_nobody(wrapper, talks):
    made = run(
        MODEL + "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
        f"model = {wrapper}(Net())\nwith torch.no_grad():\n    model(torch.ones(2))\n"
    )
    assert (("forward", "1111") in events(made)) == talks


def test_moving_a_model_to_a_device_of_this_rank_does_not_make_it_differ():
    made = run(
        MODEL + "model = Net().to(torch.device('cuda', int(os.environ['LOCAL_RANK'])))\n"
        "if model.training:\n    dist.barrier()\n"
    )
    assert events(made) == [("barrier", "1111")]
