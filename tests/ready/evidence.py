"""Findings, facts and launch files made up for the tests of the check-list."""

from __future__ import annotations

from dtlint.findings import SEVERITY_OF_EFFECT, Finding, Span
from dtlint.launch.project import Launches, load
from dtlint.ready.assess import Evidence
from dtlint.ready.facts import Fact, collected
from dtlint.ready.items import ITEMS
from dtlint.source.text import SourceFile

ALL_RULES = frozenset(code for item in ITEMS for code in item.rules) | {"DT901", "DT902", "DT904", "DT905"}


def finding(code, path="train.py", line=82, message="every host reads the same documents", effect="wrong"):
    severity = SEVERITY_OF_EFFECT[effect]
    span = Span(path, line, 1, line, 10)
    return Finding(code, "slug", effect, severity, "default", message, "read every n-th document on host n", span)


def facts(*kinds, hosts=None):
    return collected((Fact("train.py", number, kind, f"{kind}()") for number, kind in enumerate(kinds, 1)), hosts)


def launches(tmp_path, **files) -> Launches:
    """`launches(tmp_path, run_sh="…")` reads a file called run.sh."""
    sources = []
    for name, text in files.items():
        path = tmp_path / name.replace("_sh", ".sh").replace("_sbatch", ".sbatch").replace("_yaml", ".yaml")
        path.write_text(text)
        sources.append(SourceFile(path.name, path))
    return load(sources)


POD = """
gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all --command="pip install jax"
gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all --command="python3 train.py"
"""
JAX = (
    "jax", "initialise", "initialise-jax", "parameter-sharding", "data", "seed", "random", "checkpoint", "resume",
    "log", "collective",
)  # fmt: skip


def evidence(tmp_path, *findings, shown=JAX, hosts=None, run=POD, stated=None, rules=ALL_RULES, incomplete=()):
    return Evidence(findings, facts(*shown, hosts=stated), launches(tmp_path, run_sh=run), rules, incomplete, hosts)
