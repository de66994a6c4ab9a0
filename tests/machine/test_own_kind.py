"""Is a class of the program made where it is asked to make one of itself, and nowhere else?"""

from __future__ import annotations

from tests.machine.programs import events, run

TELLS = """
class Base(nn.Module):
    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)

class Net(Base):
    def __init__(self):
        super().__init__()
        dist.barrier()
"""
LOADS = """
from transformers import PreTrainedModel

class Net(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        dist.barrier()

Net.from_pretrained("small")
"""


def test_a_class_that_is_told_of_its_heirs_makes_none():
    assert events(run(TELLS)) == []


def test_a_class_that_loads_itself_is_made():
    assert events(run(LOADS)) == [("barrier", "1111")]
