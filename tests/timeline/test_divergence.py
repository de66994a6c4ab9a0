"""Where do the ranks part, in which way, and when do they not?"""

from __future__ import annotations

from dtlint.timeline.ranks.divergence import divergences
from tests.machine.programs import codes, runs, told


def only(source: str, **others: str):
    found = told(source, **others)
    assert len(found) == 1, found
    return found[0]


def test_two_halves_of_a_pair_are_no_difference():
    assert codes("if rank != 0:\n    dist.barrier()\nprint(1)\nif rank == 0:\n    dist.barrier()\n") == []


def test_a_call_of_all_between_the_halves_is_out_of_order():
    found = only(
        """
        if rank != 0:
            dist.barrier()
        dist.all_reduce(torch.ones(1))
        if rank == 0:
            dist.barrier()
        """
    )
    assert (found.code, found.line) == ("DT104", "dist.all_reduce(torch.ones(1))")


def test_the_half_with_a_further_condition_is_missed_by_the_other():
    found = only(
        """
        def load(fast):
            if rank != 0 and fast:
                dist.barrier()
            if rank == 0:
                dist.barrier()

        load("FAST" in os.environ)
        """
    )
    assert (found.code, found.shape) == ("DT101", "guarded")


def test_asking_a_helper_whether_to_wait_is_no_further_condition():
    assert (
        codes(
            """
            state = None

            def several():
                global state
                if state is None:
                    state = os.environ.get("MODE")
                return state == "many"

            def wait():
                if several():
                    dist.barrier()

            if rank != 0:
                wait()
            if rank == 0:
                wait()
            """
        )
        == []
    )


def test_an_exit_of_the_program_inside_a_helper():
    found = only(
        """
        import sys

        def check():
            if rank == 0:
                if "DONE" in os.environ:
                    sys.exit(0)

        check()
        dist.barrier()
        """
    )
    assert (found.code, found.line) == ("DT102", "sys.exit(0)")


def test_a_turn_that_only_some_ranks_end_early():
    found = only(
        """
        for step in range(int(os.environ["STEPS"])):
            if step % 4 or rank > 0:
                continue
            dist.all_reduce(torch.ones(1))
        """
    )
    assert (found.code, found.line) == ("DT102", "continue")


def test_a_loop_that_one_rank_leaves_on_a_condition_of_its_own():
    found = only(
        """
        epoch = int(os.environ["FIRST"])
        while True:
            dist.all_reduce(torch.ones(1))
            epoch += 1
            if rank == 0 and epoch >= 2:
                break
            if epoch >= 3:
                break
        """
    )
    assert (found.code, found.line) == ("DT102", "break")


def test_ranks_that_are_told_what_to_call_follow():
    assert (
        codes(
            """
            def lead():
                for value in (1.0, 2.0):
                    dist.broadcast(torch.tensor([1]), src=0)
                    dist.broadcast(torch.tensor([value]), src=0)
                dist.broadcast(torch.tensor([0]), src=0)

            def follow():
                while True:
                    command = torch.zeros(1)
                    dist.broadcast(command, src=0)
                    if command.item() == 0:
                        return
                    dist.broadcast(torch.zeros(1), src=0)

            if rank == 0:
                lead()
            else:
                follow()
            dist.barrier()
            """
        )
        == []
    )


def test_calls_of_a_model_that_one_rank_wrapped_are_told_once():
    found = only(
        """
        model = nn.Linear(2, 2)
        if rank == 0:
            model = nn.parallel.DistributedDataParallel(model)
        model(torch.ones(2)).sum().backward()
        """
    )
    assert (found.code, found.op) == ("DT109", "wrap")


def test_keys_that_some_ranks_have_more():
    source = """
        counts = {"clean": 1.0}
        if rank % 2:
            counts[{}] = 2.0
        for name in sorted(counts):
            dist.all_reduce(torch.ones(1))
        """
    assert codes(source.replace("{}", '"broken"')) == ["DT103"]
    assert codes(source.replace("{}", '"clean"')) == []


def test_sides_that_load_different_things_are_not_said_to_differ_in_length():
    assert (
        codes(
            """
            if rank == 0:
                state = torch.load("a")
            else:
                state = torch.load("a", map_location="meta")
            for name in list(state):
                dist.broadcast(torch.ones(1), src=0)
            """
        )
        == []
    )


def test_a_branch_between_two_kinds_of_rank_keeps_one_kind():
    assert (
        codes(
            """
            def first(local):
                lead = int(os.environ["LOCAL_RANK"]) == 0 if local else rank == 0
                if not lead:
                    dist.barrier()
                if lead:
                    dist.barrier()

            first("LOCAL" in os.environ)
            """
        )
        == []
    )


def test_a_decision_on_what_an_unknown_function_made_of_the_rank_is_not_reported():
    source = """
        import somewhere
        made = {}
        if made.flag:
            dist.barrier()
        """
    assert codes(source.replace("{}", "somewhere.build(rank)")) == []


def test_files_of_this_node_decide_and_shared_files_only_with_strict():
    source = "from pathlib import Path\nif Path('{}').exists():\n    dist.barrier()\n"
    from dtlint.timeline.ranks.classify import code_of
    from dtlint.timeline.ranks.divergence import divergences
    from tests.machine.programs import run

    seen = [run(source.format(path)) for path in ("/tmp/state.pt", "state.pt")]
    tiers = [code_of(one, divergences(one)[0]) for one in seen]
    assert tiers == [("DT110", "default"), ("DT110", "strict")]


def test_gradients_that_were_not_reduced_are_those_of_this_rank():
    source = """
        from torch.utils.data import DataLoader, DistributedSampler
        from torchvision.datasets import FakeData
        data = FakeData()
        model = nn.Linear(2, 2)
        for x, y in DataLoader(data, sampler=DistributedSampler(data)):
            model(x).sum().backward()
            {}
            if all(torch.isfinite(p.grad).all() for p in model.parameters()):
                dist.barrier()
        """
    assert codes(source.format("pass")) == ["DT110"]
    reduce = "for p in model.parameters():\n                dist.all_reduce(p.grad)"
    assert codes(source.format(reduce)) == []


def test_one_rank_alone_parts_from_the_others_by_its_number_and_not_by_what_it_sees():
    source = """
        def due(step, host):
            chosen = dist.get_rank() == host
            return chosen and step % 50 == 0

        first = int(open("state").read()) if os.path.exists("state") else 0
        for step in range(first, 100):
            if due(step, 0):
                if torch.rand(1).isnan():
                    raise RuntimeError("no")
            dist.barrier()
        """
    from dtlint.timeline.ranks.divergence import divergences
    from tests.machine.programs import run

    found = [one for one in divergences(run(source)) if one.shape == "exit"]
    assert [one.cause.kind for one in found if one.cause is not None] == ["rank"]


def rows_and_outcome(source: str):
    from dtlint.timeline.ranks.divergence import divergences
    from dtlint.timeline.ranks.explain import timeline_of
    from tests.machine.programs import runs

    (run,) = runs(source)
    (found,) = divergences(run)
    timeline = timeline_of(run, found)
    cells = [(row.sequence, row.text, *(cell.value for cell in row.cells)) for row in timeline.rows if row.sequence]
    return cells, timeline.outcome


def test_the_timeline_says_where_the_others_are():
    cells, outcome = rows_and_outcome("if rank == 0:\n    dist.barrier()\ndist.all_reduce(torch.ones(1))\n")
    assert cells == [(1, "barrier()", "waits", "never"), (1, "all_reduce()", "never", "waits")]
    assert outcome == "hang: rank 0 waits in barrier(), ranks 1-3 in all_reduce(), until the group times out"


def test_the_same_call_further_down_is_met_by_mistake():
    cells, outcome = rows_and_outcome("if rank == 0:\n    dist.barrier()\nprint(1)\ndist.barrier()\n")
    assert len(cells) == 2 and "these meet" in outcome


def test_where_nothing_follows_nobody_comes():
    cells, outcome = rows_and_outcome("if rank == 0:\n    dist.barrier()\n")
    assert cells == [(1, "barrier()", "waits", "never")]
    assert outcome == "hang: rank 0 waits in barrier() until the group times out, ranks 1-3 never come"


def test_who_has_raised_in_a_helper_has_not_returned_from_it():
    source = """
        def read():
            names = os.listdir("data") if rank == 0 else []
            if not names:
                raise ValueError("nothing to train on")
            return names

        print(read())
        dist.barrier()
        """
    (run,) = runs(source)
    assert [found.decision.exit_word for found in divergences(run)] == ["raise"]
