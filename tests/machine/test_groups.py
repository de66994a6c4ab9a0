"""Which ranks are in a group, and does every rank make the same groups?"""

from __future__ import annotations

from tests.machine.programs import codes, told


def test_the_second_group_of_the_same_ranks_is_another_group():
    assert codes(
        """
        first, second = dist.new_group(), dist.new_group()
        x = torch.ones(1)
        if rank % 2:
            dist.all_reduce(x, group=first)
            dist.all_reduce(x, group=second)
        else:
            dist.all_reduce(x, group=second)
            dist.all_reduce(x, group=first)
        """
    ) == ["DT104"]


def test_groups_made_in_steps_fit_their_members():
    source = """
        mine, ranks = None, []
        for first in range(0, world, 2):
            listed = list(range(first, first + 2))
            group = dist.new_group(listed)
            if rank in listed:
                mine, ranks = group, listed
        dist.broadcast(torch.ones(1), src={}, group=mine)
        """
    assert codes(source.format("ranks[0]")) == []
    assert codes(source.format("rank")) == ["DT107"]


def test_each_rank_asking_for_its_own_list_only():
    found = told("first = rank - rank % 2\ngroup = dist.new_group([first, first + 1])\n")
    assert [(item.code, item.line) for item in found] == [("DT109", "group = dist.new_group([first, first + 1])")]


def test_the_root_of_a_group_in_the_numbers_of_the_world():
    mesh = (
        "from torch.distributed.device_mesh import init_device_mesh\n"
        "mesh = init_device_mesh('cuda', (2, 2), mesh_dim_names=('a', 'b'))\n"
        "group = mesh.get_group('b')\n"
    )
    fine = mesh + "dist.broadcast(torch.ones(1), src=dist.get_global_rank(group, 0), group=group)\n"
    assert codes(fine) == []
    assert codes(mesh + "dist.broadcast(torch.ones(1), src=rank, group=group)\n") == ["DT107"]


def test_the_first_of_a_parallel_dimension_is_not_the_whole_of_it():
    source = (
        "from megatron.core import parallel_state as mpu\n"
        "if mpu.get_{}_rank() == 0:\n    dist.all_reduce(torch.ones(1), group=mpu.get_data_parallel_group())\n"
    )
    assert codes(source.format("data_parallel")) == ["DT101"]
    assert codes(source.format("tensor_model_parallel")) == []


def test_type_and_shape_that_differ_by_rank():
    assert codes("dist.all_reduce(torch.ones(3, dtype=torch.float64 if rank == 0 else torch.float32))") == ["DT107"]
    assert codes("dist.all_reduce(torch.ones(3 + rank))") == ["DT107"]
    assert codes("dist.all_reduce(torch.ones(3 + world))") == []
