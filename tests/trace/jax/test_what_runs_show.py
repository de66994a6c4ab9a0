"""What runs of JAX programs show beyond missed calls: the data of hosts, forks, batches, variables, stand-ins."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dtlint.findings import Finding, Span, Step
from dtlint.trace import interpreter
from dtlint.trace.session import NotPossible
from dtlint.trace.verify import verify

pytestmark = pytest.mark.trace
HOSTS = """\
import jax
import numpy as np
import wandb
from datasets import load_dataset
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def same_for_all(path):
    for row in load_dataset("json", data_files=path, split="train", streaming=True):  # DT201 confirmed
        yield len(row["text"])


def own_part(path):
    for number, row in enumerate(load_dataset("json", data_files=path, split="train", streaming=True)):  # DT201 open
        if number % jax.process_count() == jax.process_index():  # DT206 confirmed
            yield len(row["text"])


def equal_parts(path):
    rows = list(load_dataset("json", data_files=path, split="train", streaming=True))  # DT206 open
    count = len(rows) // jax.process_count()
    for row in rows[jax.process_index() * count :][:count]:
        yield len(row["text"])


def main():
    jax.distributed.initialize()
    wandb.init(project="all")  # DT703 confirmed
    if jax.process_index() == 0:
        wandb.init(project="one")  # DT703 open
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    split = NamedSharding(mesh, PartitionSpec("data"))
    total = 0.0
    for source in (same_for_all, equal_parts, own_part):
        for length in source("rows.jsonl"):
            part = np.full((jax.local_device_count(),), length, np.float32)
            total += float(jax.make_array_from_process_local_data(split, part).sum())


if __name__ == "__main__":
    main()
"""
DEVICES = """\
import os

os.environ["JAX_WAIT_FOR_EVERYBODY"] = "1"  # DT605 confirmed
os.environ["JAX_PLATFORMS"] = "cpu"  # DT605 open

import jax
import jax.numpy as jnp
from torch.utils.data import DataLoader

if __name__ == "__main__":
    print("as a script")
devices = jax.local_device_count()
step = jax.pmap(lambda rows: jax.lax.pmean(rows.sum(), "i"), axis_name="i")
few = DataLoader(list(range(64)), batch_size=8 * devices, num_workers=1)  # DT601 confirmed, DT202 confirmed
all_of_them = DataLoader(list(range(64)), batch_size=8 * devices, drop_last=True)  # DT601 open, DT202 open
for loader in (few, all_of_them):
    for batch in loader:
        step(jnp.asarray(batch.numpy(), jnp.float32).reshape(devices, -1))  # split
less = 4 * (devices - 1)  # DT209 confirmed
same = 4 * devices  # DT209 open
for batch in DataLoader(list(range(24)), batch_size=same, drop_last=True):
    jnp.asarray(batch.numpy()).reshape(devices, -1)
for batch in DataLoader(list(range(24)), batch_size=less):
    jnp.asarray(batch.numpy()).reshape(devices, -1)  # parts
"""
MARK = re.compile(r"(DT\d+) (confirmed|open)")
LEADS_TO = {"DT202": "# split", "DT209": "# parts"}


def findings_of(name: str, text: str) -> list[tuple[Finding, str]]:
    lines, found = text.splitlines(), []
    for number, line in enumerate(lines, 1):
        for code, state in MARK.findall(line.partition("#")[2]):
            ends = [at for at, other in enumerate(lines, 1) if other.endswith(LEADS_TO.get(code, "nowhere"))]
            trail = tuple(Step(name, at, "used here") for at in ends if state == "confirmed" or code == "DT202")
            item = Finding(
                code, "slug", "wrong", "error", "default", "", "", Span(name, number, 1, number, 2), trail=trail
            )
            found.append((item, state))
    return found


@pytest.mark.parametrize(("name", "text"), [("hosts.py", HOSTS), ("devices.py", DEVICES)])
def test_findings(tmp_path: Path, name: str, text: str) -> None:
    try:
        python = interpreter.choose(os.environ.get("DTLINT_TRACE_PYTHON", ""), "jax")
    except NotPossible as problem:
        pytest.skip(str(problem))
    (tmp_path / name).write_text(text)
    expected = findings_of(name, text)
    verified = verify([item for item, _ in expected], tmp_path, "run", 400, python=python)
    wrong = [
        (item.code, item.span.line, state, item.verdict)
        for item, (_, state) in zip(verified, expected, strict=True)
        if item.verdict is None or (item.verdict.state == "confirmed") is not (state == "confirmed")
    ]
    assert not wrong, wrong
