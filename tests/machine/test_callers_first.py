"""Functions that no script reaches: whoever calls another one is run before it."""

from dtlint.ir.functions import functions_of
from dtlint.ir.lowering import lower
from dtlint.machine.run import callers_first

TEXT = """
class Model:
    def save(self):
        pass

    def sample(self):
        self.save()

    def forward(self):
        self.sample()

class Other:
    def again(self):
        self.inner.forward()

def even(n):
    return odd(n - 1)

def odd(n):
    return even(n - 1)
"""


def test_order() -> None:
    waiting = list(functions_of(lower(TEXT, "model.py")))
    names = [function.name for function, _ in callers_first(waiting)]
    assert names == ["again", "forward", "sample", "save", "odd", "even"]
