"""Where do ranks communicate, and why does a line differ?"""

from __future__ import annotations

from dtlint.machine.queries import collective_sites, why
from tests.machine.programs import runs

SOURCE = """
def report(lead):
    if lead:
        dist.barrier()

report(rank == 0)
dist.all_reduce(torch.ones(1))
"""


def test_every_site_with_the_decisions_above_it():
    sites = [(site.line, site.call, site.group, site.function, site.guards) for site in collective_sites(runs(SOURCE))]
    assert sites == [
        (6, "init_process_group()", "world", "<module>", ()),
        (12, "barrier()", "world", "report", ("lead (line 11, rank)",)),
        (15, "all_reduce()", "world", "<module>", ()),
    ]


def test_the_way_a_difference_took():
    trails = why(runs(SOURCE), "program.py", 12)
    assert trails and [step.line for step in trails[0]][-2:] == [11, 12]
    assert trails[0][0].line == 7
    assert why(runs(SOURCE), "program.py", 15) == []
