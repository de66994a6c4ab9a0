"""Do the shipped packs keep to their vocabulary, once per name, with tokens that mark only files worth reading?"""

from __future__ import annotations

from collections import Counter

import pytest

from dtlint.knowledge import loader
from dtlint.machine.library.calling import HANDLERS

PACKS = dict(loader._shipped())
KNOWN = loader.load()
ROW_SECTIONS = ("call", "attribute", "member", "parameter", "environment", "function")

DOES = {
    "collective", "p2p", "value", "source", "make", "same", "identity", "decorator", "context", "exit", "spawn",
    "partial", "local", "record",
}  # fmt: skip
VALUES = {
    "rank", "local_rank", "node", "nodes", "world_size", "local_world_size", "is_main", "not_main", "is_local_main",
    "is_last", "is_local_last", "distributed", "never", "open_run", "group_rank", "group_size", "devices",
    "local_devices", "axis_index",
}  # fmt: skip
CAUSES = {"clock", "files", "memory", "random", "host", "process", "signal", "rank", "data"}
RESULTS = {"", "none", "same", "argument", "root", "root or none", "work", "differs"}
KINDS = {
    "decorator": {"main", "local_main", "last", "identity"},
    "context": {"first", "local_first", "lock", "suppress", "nothing", "no_sync", "join", "apart"},
}


def rows():
    for pack, content in PACKS.items():
        for section in ROW_SECTIONS:
            for row in content.get(section, ()):
                names = row.get("names", row.get("name"))
                yield pack, section, ([names] if isinstance(names, str) else names), row


def complaints(check):
    """`pack: name` of every row that a check refuses."""
    return [f"{pack}: {names[0]}" for pack, section, names, row in rows() if not check(section, row)]


def done(row):
    return row.get("does") or ("value" if "value" in row else "make" if "type" in row else "local")


def test_there_is_a_pack_for_every_framework():
    wanted = {
        "torch_distributed", "ddp_fsdp", "fsdp2_dtensor", "distributed_checkpoint", "accelerate", "lightning", "fabric",
        "transformers", "deepspeed", "torchft", "torchmetrics", "horovod", "torch_xla", "megatron", "openmmlab",
        "vision_speech", "composer_colossalai_fairscale", "jax", "jax_random", "flax_orbax", "data", "python",
        "torch_general", "tracking", "environment",
    }  # fmt: skip
    assert wanted <= set(PACKS)


def test_no_name_has_two_rows():
    counted = Counter((section, name) for _, section, names, _ in rows() for name in names)
    counted.update(
        ("type", name) for content in PACKS.values() for row in content.get("type", ()) for name in row["names"]
    )
    assert [name for name, count in counted.items() if count > 1] == []


def test_no_two_packs_disagree_about_an_alias():
    seen: dict[str, str] = {}
    for content in PACKS.values():
        for written, canonical in content.get("aliases", {}).items():
            assert seen.setdefault(written, canonical) == canonical


def test_no_name_is_known_twice_under_one_canonical_name():
    """Two rows whose names meet after aliasing: one of them could never be found."""
    met: dict[tuple[str, str], set[str]] = {}
    for _, section, names, _ in rows():
        if section in ("call", "attribute"):
            for name in names:
                met.setdefault((section, KNOWN.canonical(name)), set()).add(name)
    assert [sorted(names) for names in met.values() if len(names) > 1] == []


@pytest.mark.parametrize("written", sorted(KNOWN.aliases))
def test_aliases_end(written):
    found = KNOWN.canonical(written)
    assert found != written
    assert KNOWN.canonical(found) == found


def test_every_row_does_something_known():
    assert complaints(lambda section, row: done(row) in DOES) == []


def test_every_model_has_its_handler():
    assert complaints(lambda section, row: row.get("model", "") in ("", *HANDLERS)) == []


def test_values_causes_results_and_kinds_are_of_the_vocabulary():
    assert complaints(lambda section, row: done(row) != "value" or row.get("value") in VALUES) == []
    assert complaints(lambda section, row: done(row) != "source" or row.get("cause") in CAUSES) == []
    assert complaints(lambda section, row: row.get("result", "") in RESULTS) == []
    assert complaints(lambda section, row: done(row) not in KINDS or row.get("kind") in KINDS[done(row)]) == []


def test_what_communicates_says_what_and_with_which_result():
    communicates = ("collective", "p2p")
    assert complaints(lambda section, row: done(row) not in communicates or row.get("op")) == []
    assert complaints(lambda section, row: done(row) not in communicates or row.get("result")) == []
    assert complaints(lambda section, row: row.get("op", "x") == row.get("op", "x").lower()) == []


def test_named_parameters_are_parameters():
    def check(section, row):
        params = {*row.get("params", ()), "self"}
        named = [row.get(field) for field in ("group", "root", "peer", "asynchronous")]
        extra = row.get("extra", {})
        for field in ("members", "function", "args", "callback", "root_in_group", "peer_in_group", "tag", "predicate"):
            named.append(extra.get(field))
        for field in ("root_only", "differs", "callbacks"):
            named.extend(extra.get(field, ()))
        if extra.get("function") and "args" not in params and extra.get("args") is None:
            named.remove(extra.get("args"))
        return all(name in params for name in (*named, *row.get("agree", ()), *row.get("same", ())) if name)

    assert complaints(check) == []


def test_conditions_are_known_words_or_an_argument():
    def check(section, row):
        when = row.get("when", "")
        return when in ("", "sharded", "engine", "training", "gradients") or all(
            one.replace("!=", "=").count("=") == 1 for one in when.split(", ")
        )

    assert complaints(check) == []


def test_what_is_made_or_derived_from_is_a_known_type():
    def check(section, row):
        made = row.get("type")
        return not made or KNOWN.canonical(made) in KNOWN.types

    assert complaints(check) == []
    for name, known in KNOWN.types.items():
        for base in known.bases:
            assert KNOWN.canonical(base) in KNOWN.types, f"{name} derives from {base}"


def test_methods_belong_to_a_known_type():
    """`pkg.Class.method`: without the type, inheritance would never reach the row."""
    missing = set()
    for _, section, names, _ in rows():
        if section in ("call", "attribute"):
            for name in names:
                owner = KNOWN.canonical(name.rpartition(".")[0])
                makes_others = owner.startswith("transformers.Auto")  # whatever it gives is of another type
                if owner.rpartition(".")[2][:1].isupper() and owner not in KNOWN.types and not makes_others:
                    missing.add(owner)
    assert missing == {
        "torch.distributed.GroupMember",  # a holder of constants
        "mpi4py.MPI",  # a module
        "PIL.Image",  # one as well
        "jax.Array",  # what an annotation calls one may be a key
        "multiprocessing.Queue",  # a function
        "threading.Barrier",
        "pandas.DataFrame",
        "transformers.PreTrainedTokenizerBase",  # whatever its methods are asked of is a tokenizer
    }


def test_names_without_a_module_only_give_values():
    """Collectives are never guessed from a bare name: `broadcast`, `gather`, `join` belong to everybody."""
    for pack, content in PACKS.items():
        for section in ("function", "member"):
            for row in content.get(section, ()):
                assert done(row) == "value", f"{pack}: {row['names'][0]}"


@pytest.mark.parametrize(
    "name", ["lora_rank", "q_lora_rank", "ranks", "rerank", "r", "group", "main", "master_addr", "ddp"]
)
def test_names_that_only_look_like_a_rank(name):
    for table in (KNOWN.members, KNOWN.parameters, KNOWN.functions):
        assert name not in table


@pytest.mark.parametrize(
    "name", ["rank", "local_rank", "global_rank", "is_main_process", "is_master", "world_size", "is_global_zero"]
)
def test_names_that_mean_the_rank(name):
    assert name in KNOWN.members


LICENCE = b"""
Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
the License. Unless required by applicable law or agreed to in writing, software distributed under the License is
distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
"""
PLAIN = b"""
import os, sys, json, logging, argparse, random, time
from collections import defaultdict
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
logger = logging.getLogger(__name__)
class Block(nn.Module):
    def forward(self, x, rank=4, world=None):
        return F.relu(self.gather(x)).reduce().broadcast_to(x.shape)  # ranking, master, node, group, main
def main(args):
    parser = argparse.ArgumentParser(); parser.add_argument("--save", "--load", "--steps", "--device")
    data = json.load(open(args.path)); model = Block().to("cuda"); torch.save(model.state_dict(), args.out)
    print("training on", os.environ.get("HOME"), time.time(), random.random(), np.random.rand(), sys.argv)
if __name__ == "__main__":
    main(None)
"""


@pytest.mark.parametrize("token", sorted(KNOWN.tokens))
def test_tokens_are_specific(token):
    assert len(token) >= 4
    assert token not in LICENCE
    assert token not in PLAIN


@pytest.mark.parametrize(
    "line",
    [
        b"import torch.distributed as dist",
        b"from torch import distributed as dist",
        b"from accelerate import Accelerator",
        b"import jax\n",
        b"from jax import lax",
        b"from jax.experimental import multihost_utils",
        b"import pytorch_lightning as pl",
        b"import lightning as L",
        b"import deepspeed",
        b"import horovod.torch as hvd",
        b"import torch_xla.core.xla_model as xm",
        b"from megatron.core import parallel_state",
        b"from mmengine.dist import master_only",
        b"from detectron2.utils import comm",
        b"import ignite.distributed as idist",
        b"from transformers import TrainerCallback",
        b"import orbax.checkpoint as ocp",
        b"import torchmetrics",
        b"from torchft import Manager",
        b'rank = int(os.environ["LOCAL_RANK"])',
        b'rank = int(os.environ["SLURM_PROCID"])',
        b"from torch.utils.data import DataLoader",
        b"from torch.nn.parallel import DistributedDataParallel as DDP",
    ],
)
def test_tokens_find_the_files_that_matter(line):
    assert any(token in line for token in KNOWN.tokens)
