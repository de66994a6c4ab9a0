"""Does the loader read rows as written, refuse what it cannot understand, and find names by alias and by base?"""

from __future__ import annotations

import pytest

from dtlint.knowledge import loader
from dtlint.knowledge.loader import KnowledgeError, build


def pack(**content):
    return build([("mine", content)])


def test_a_row_may_name_one_function_or_many():
    known = pack(call=[{"name": "a.f", "value": "rank"}, {"names": ["a.g", "a.h"], "value": "is_main"}])
    assert {name: row.value for name, row in known.apis.items()} == {"a.f": "rank", "a.g": "is_main", "a.h": "is_main"}


@pytest.mark.parametrize(
    ("row", "does"),
    [
        ({"value": "rank"}, "value"),
        ({"type": "a.Thing"}, "make"),
        ({"value": "rank", "does": "same"}, "same"),
        ({}, "local"),
    ],
)
def test_what_a_row_does_follows_from_what_it_says(row, does):
    assert pack(call=[{"names": ["a.f"], **row}]).apis["a.f"].does == does


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"calls": []}, "unknown section 'calls'"),
        ({"call": [{"does": "local"}]}, "without `names`"),
        ({"call": [{"names": [], "does": "local"}]}, "without `names`"),
        ({"call": [{"names": ["a.f"], "grup": "group"}]}, "a.f: unknown field 'grup'"),
        ({"member": [{"names": ["rank"], "valu": "rank"}]}, "rank: unknown field 'valu'"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(content, words):
    with pytest.raises(KnowledgeError, match=r"^mine: ") as caught:
        pack(**content)
    assert words in str(caught.value)


def test_the_users_rows_win():
    shipped = loader.load()
    assert shipped.apis["torch.distributed.barrier"].does == "collective"
    known = loader.load({"call": [{"names": ["torch.distributed.barrier"], "does": "local"}]})
    assert known.apis["torch.distributed.barrier"].does == "local"
    assert known.apis["torch.distributed.barrier"].pack == "[tool.dtlint.knowledge]"
    assert known.apis["torch.distributed.all_reduce"] == shipped.apis["torch.distributed.all_reduce"]


def test_the_users_rows_teach_a_wrapper():
    row = {"names": ["our.tools.sync_all"], "does": "collective", "op": "barrier"}
    known = loader.load({"call": [row], "aliases": {"ours": "our.tools"}, "tokens": {"words": ["sync_all"]}})
    found = known.api("ours.sync_all")
    assert found is not None and (found.does, found.op) == ("collective", "barrier")
    assert b"sync_all" in known.tokens
    assert "sync_all" in known.communicating


def test_aliases_replace_the_longest_prefix_until_nothing_changes():
    known = pack(aliases={"old": "new", "old.sub": "other", "new.inner": "last"})
    assert known.canonical("old.f") == "new.f"
    assert known.canonical("old.sub.f") == "other.f"
    assert known.canonical("old.inner.f") == "last.f"
    assert known.canonical("older.f") == "older.f"


def test_a_row_under_an_alias_is_found_under_the_canonical_name():
    known = pack(aliases={"old": "new"}, call=[{"names": ["old.f"], "value": "rank"}])
    found = known.api("new.f")
    assert found is not None and found.name == "old.f"


def test_methods_and_attributes_are_found_along_the_bases():
    known = pack(
        aliases={"lib.impl.Base": "lib.Base"},
        type=[{"names": ["lib.Base"]}, {"names": ["lib.Derived"], "bases": ["lib.impl.Base"], "hooks": ["on_start"]}],
        call=[{"names": ["lib.Base.save"], "does": "collective", "op": "save"}],
        attribute=[{"names": ["lib.Base.rank"], "value": "rank"}],
    )
    assert known.ancestors("lib.Derived") == ("lib.Derived", "lib.Base")
    save, rank = known.method("lib.Derived", "save"), known.attribute("lib.Derived", "rank")
    assert save is not None and save.op == "save"
    assert rank is not None and rank.value == "rank"
    assert known.method("lib.Derived", "load") is None
    assert known.types["lib.Derived"].hooks == ("on_start",)


def test_bases_that_go_round_end():
    known = pack(type=[{"names": ["a.A"], "bases": ["a.B"]}, {"names": ["a.B"], "bases": ["a.A"]}])
    assert known.ancestors("a.A") == ("a.A", "a.B")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("torch.distributed.distributed_c10d.all_reduce", "torch.distributed.all_reduce"),
        ("deepspeed.comm.barrier", "torch.distributed.barrier"),
        ("pytorch_lightning.Trainer.fit", "lightning.pytorch.Trainer.fit"),
        ("pytorch_lightning.utilities.rank_zero_only", "lightning_utilities.core.rank_zero.rank_zero_only"),
        ("lightning.Fabric.barrier", "lightning.fabric.Fabric.barrier"),
        ("torch.nn.parallel.distributed.DistributedDataParallel", "torch.nn.parallel.DistributedDataParallel"),
        ("accelerate.utils.operations.gather", "accelerate.utils.gather"),
        ("jax.host_id", "jax.process_index"),
        ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
        ("megatron.core.mpu.get_data_parallel_rank", "megatron.core.parallel_state.get_data_parallel_rank"),
        ("mmcv.runner.master_only", "mmengine.dist.master_only"),
    ],
)
def test_common_import_paths_lead_to_a_row(written, canonical):
    known = loader.load()
    assert known.canonical(written) == canonical
    assert known.api(written) is not None


def test_layers_and_names_that_lists_have_too_show_no_ranks():
    telling = loader.load().telling.words
    assert telling.isdisjoint({"Linear", "ModuleList", "CrossEntropyLoss", "append"})
    assert telling >= {"AdamW", "DistributedDataParallel", "get_rank", "remove", "convert_sync_batchnorm"}
