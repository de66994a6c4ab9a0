"""Which facts does a program show?"""

from __future__ import annotations

from textwrap import dedent

from dtlint.ready.scanning import kinds_of, scan
from dtlint.source.text import SourceFile


def facts_of(tmp_path, text, name="train.py"):
    path = tmp_path / name
    path.write_text(dedent(text))
    return scan([SourceFile(name, path)])


def test_names_are_followed_through_imports(tmp_path):
    facts = facts_of(
        tmp_path,
        """
        import torch.distributed as dist
        from torch.nn.parallel import DistributedDataParallel as DDP
        from torch.utils.data import DataLoader

        def main():
            dist.init_process_group("nccl")
            model = DDP(build())
            loader = DataLoader(data, sampler=sampler)
            dist.destroy_process_group()
        """,
    )
    assert [fact.line for fact in facts.of("initialise-torch")] == [7]
    assert [fact.text for fact in facts.of("initialise")] == ["dist.init_process_group()"]
    assert facts.of("parameter-sharding") and facts.of("data") and facts.of("shutdown")
    assert not facts.of("data-sharding") and not facts.of("jax")


def test_a_local_function_of_the_same_name_shows_nothing(tmp_path):
    facts = facts_of(tmp_path, "def init_process_group(): ...\ninit_process_group()\nother.initialize()\n")
    assert facts.of("initialise") == ()


def test_data_shared_out_by_hand(tmp_path):
    by_turns = "for i, row in enumerate(rows):\n    if i % world_size != rank:\n        continue\n"
    by_slice = "part = islice(rows, process_index, None, process_count)\n"
    by_call = "import jax\npart = batches(path, jax.process_index(), jax.process_count())\n"
    by_keyword = "part = rows.take(num_shards=4, index=index)\n"
    for text in (by_turns, by_slice, by_call, by_keyword):
        assert facts_of(tmp_path, text).of("data-sharding"), text


def test_a_guard_is_not_a_share(tmp_path):
    text = "import jax\nif jax.process_index() == 0:\n    print('hello', rank, world_size)\n"
    facts = facts_of(tmp_path, text)
    assert facts.of("data-sharding") == ()
    assert facts.of("lead-guard")


def test_a_call_for_its_effect_shares_nothing(tmp_path):
    for text in (
        "import logging\nlogging.info('%d of %d', process_index, process_count)\n",
        "ddp_setup(rank, world_size)\n",
        "for turn in range(8):\n    part = rows.shard(num_shards=8, index=turn)\n",
        "for name, turn in turns:\n    part = rows.shard(num_shards=8, index=turn)\n",
    ):
        assert facts_of(tmp_path, text).of("data-sharding") == (), text


def test_the_number_of_hosts_that_a_program_states(tmp_path):
    assert facts_of(tmp_path, 'import os\nos.environ["JAX_PROCESS_COUNT"] = "4"\n').hosts == 4
    assert facts_of(tmp_path, 'import os\nos.environ.setdefault("JAX_PROCESS_COUNT", "8")\n').hosts == 8
    assert facts_of(tmp_path, "NUM_HOSTS = 16\n").hosts == 16
    assert facts_of(tmp_path, 'import os\nos.environ["JAX_PROCESS_COUNT"] = count\nNUM_HOSTS = 1\n').hosts is None


def test_broken_files_show_nothing(tmp_path):
    assert facts_of(tmp_path, "def (:\n").by_kind == {}
    missing = scan([SourceFile("gone.py", tmp_path / "gone.py")])
    assert missing.by_kind == {}


def test_methods_and_endings():
    assert "set-epoch" in kinds_of(".set_epoch")
    assert "data" in kinds_of("grain.python.DataLoader")
    assert list(kinds_of("set_epoch")) == []
