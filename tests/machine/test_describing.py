"""What of a helper of a decorator can be read off its text?"""

from __future__ import annotations

import pytest

from dtlint.ir.functions import functions_of
from dtlint.ir.lowering import lower
from dtlint.machine.functions.describing import described
from tests.machine.programs import codes, runs

DESCRIBES = """
def describe(function, intro=None):
    text = intro or ""
    for name in signature(function).parameters:
        text += name
    if not text:
        print("nothing to say")
    function.__doc__ = text
    return function
"""

OTHERS = {
    "keeps it": "def helper(function):\n    KNOWN[function.__name__] = function\n    return function",
    "tells of it": "def helper(function):\n    KNOWN.append(function)\n    return function",
    "marks it": "def helper(function):\n    function.skipped = True\n    return function",
    "wraps it": "def helper(function):\n    def inner(*given):\n        return function(*given)\n    return inner",
    "has another made": "def helper(function):\n    function = jit(function)\n    return function",
    "gives either": "def helper(function, other):\n    if other:\n        return other\n    return function",
    "may give nothing": "def helper(function):\n    if function:\n        return function",
}


def only(text):
    ((function, _),) = functions_of(lower(text, "helper.py"))
    return function


def test_it_writes_the_documentation_and_gives_back_what_it_was_given():
    assert described(only(DESCRIBES)) == "function"


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_others_do_more(text):
    assert described(only(text)) is None


PROGRAM = """
{helper}
def documented(intro=None):
    def decorator(function):
        return describe(function, intro=intro)
    return decorator

class Trainer:
    @documented(intro="one step")
    def step(self, batch):
        if rank == 0:
            dist.all_reduce(batch)

Trainer().step(torch.ones(2))
"""


def test_the_method_is_run_as_it_stands():
    assert codes(PROGRAM.format(helper=DESCRIBES)) == ["DT101"]


def test_however_long_the_helper_is():
    long = DESCRIBES.replace("    if not", "    text += str(sorted(text))\n" * 400 + "    if not")
    (short, longer) = (runs(PROGRAM.format(helper=helper), budget=300) for helper in (DESCRIBES, long))
    assert [run.incomplete for run in (*short, *longer)] == [[], []]
