"""`zip` of however many: its items and how many there are."""

from tests.machine.programs import run


def test_nothing_is_zipped() -> None:
    made = run("columns = list(zip(*[]))\nempty = [row for row in zip()]\ndist.barrier()\n")
    assert not made.incomplete
