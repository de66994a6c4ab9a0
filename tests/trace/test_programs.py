"""Real scripts under the lockstep engine: the bad ones part at the right line, the good ones agree."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dtlint.trace.model import Result
from dtlint.trace.session import Job, Session

pytestmark = pytest.mark.trace
PROGRAMS = Path(__file__).with_name("programs")
PAIRS = sorted(path.name for path in PROGRAMS.iterdir() if (path / "good.py").is_file())
REPOSITORY = Path(__file__).resolve().parents[2]
# program → (outcome, {rank: text of the line where it is stuck or stopped})
EXPECTED = {
    "accelerate_gather": ("mismatch", {0: "accelerator.gather(", 1: "wait_for_everyone()"}),
    "gpt_tokens": ("mismatch", {0: "torch.distributed.all_reduce(loss)", 1: ".backward()"}),
    "horovod_average": ("mismatch", {0: "hvd.allreduce(", 1: "loss.backward()"}),
    "lightning_callback": ("deadlock", {0: "trainer.strategy.barrier("}),
    "tensor_parallel": ("deadlock", {0: "full_tensor()"}),
    "barrier_under_rank": ("mismatch", {0: "dist.barrier()", 1: "loss = model("}),
    "deepspeed_checkpoint": ("deadlock", {0: "engine.save_checkpoint("}),
    "early_return": ("deadlock", {0: "dist.all_reduce(score)"}),
    "fsdp2_save": ("mismatch", {0: "state = get_model_state_dict(", 1: "dist.barrier()"}),
    "fsdp_state_dict": ("mismatch", {0: "torch.save(model.state_dict()", 1: "dist.barrier()"}),
    "handler": ("mismatch", {0: "dist.all_reduce(loss)", 1: "dist.barrier()"}),
    "local_nan": ("deadlock", {0: "loss.backward()"}),
    "object_gather": ("mismatch", {0: "dist.all_gather_object(", 1: "dist.broadcast_object_list("}),
    "partial_group": ("mismatch", {0: "dist.new_group([0])", 1: "dist.all_reduce("}),
    "point_to_point": ("deadlock", {0: "dist.recv(", 1: "dist.recv("}),
    "spawned": ("mismatch", {0: "dist.barrier()", 1: "dist.all_reduce("}),
    "two_groups": ("deadlock", {0: "dist.all_reduce(", 1: "dist.all_reduce("}),
    "uneven_loop": ("deadlock", {1: "dist.all_reduce("}),
}


def line_of(place_path: str, line: int) -> str:
    return Path(place_path).read_text().splitlines()[line - 1].strip()


def run(session: Session, path: Path, **options: object) -> Result:
    result = session.run_as_wanted(Job(str(path), timeout=60, **options))  # type: ignore[arg-type]
    for end in result.ends:
        if "ModuleNotFoundError" in end.text:
            pytest.skip(end.text)
    return result


def test_every_pair_has_an_expectation() -> None:
    assert set(EXPECTED) <= set(PAIRS)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_bad_program_parts_at_its_line(session: Session, name: str) -> None:
    kind, lines = EXPECTED[name]
    result = run(session, PROGRAMS / name / "bad.py", synthetic=True)
    assert result.outcome.kind == kind, result.outcome
    found = {event.rank: line_of(event.place.path, event.place.line) for event in result.involved}
    assert set(found) == set(lines)
    for rank, text in lines.items():
        assert text in found[rank]


@pytest.mark.parametrize("name", PAIRS)
def test_good_twin_agrees(session: Session, name: str) -> None:
    result = run(session, PROGRAMS / name / "good.py", synthetic=True)
    assert result.outcome.kind == "agreed", (result.outcome, [end.output for end in result.ends])


def test_four_ranks_share_a_verdict(session: Session) -> None:
    result = run(session, PROGRAMS / "barrier_under_rank" / "bad.py", ranks=4)
    assert result.outcome.kind == "mismatch"
    assert len(result.involved) == 4


def test_steps_end_every_rank(session: Session) -> None:
    result = run(session, PROGRAMS / "barrier_under_rank" / "good.py", steps=2)
    assert result.outcome.kind == "agreed"
    assert [(end.how, end.steps) for end in result.ends] == [("steps", 2), ("steps", 2)]


def write(path: Path, body: str) -> Path:
    path.write_text("import os, sys, time\nimport torch\nimport torch.distributed as dist\n" + body)
    return path


def test_files_and_network_are_out_of_reach(session: Session, tmp_path: Path) -> None:
    script = write(
        tmp_path / "writer.py",
        f"""
import socket
dist.init_process_group("gloo")
open({str(tmp_path / "beside.txt")!r}, "w").write("x")
open("here.txt", "w").write("x")
assert open("here.txt").read() == "x"
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
    sys.exit("the network is there")
except OSError:
    pass
dist.barrier()
""",
    )
    result = run(session, script, directory=str(tmp_path))
    if any("not isolated" in notice for notice in result.notices):
        pytest.skip("; ".join(result.notices))
    assert result.outcome.kind == "agreed", result
    assert [end.how for end in result.ends] == ["finished", "finished"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["writer.py"]


def test_endless_computation_is_inconclusive(session: Session, tmp_path: Path) -> None:
    script = write(tmp_path / "endless.py", 'dist.init_process_group("gloo")\nwhile True:\n    pass\n')
    result = session.run(Job(str(script), timeout=2))
    assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "timeout")
    assert result.exit_code == 3


def test_swallowed_stop_does_not_hang(session: Session, tmp_path: Path) -> None:
    body = """
dist.init_process_group("gloo")
while dist.get_rank() == 0:
    try:
        dist.barrier()
    except:
        pass
"""
    result = session.run(Job(str(write(tmp_path / "stubborn.py", body)), timeout=20))
    assert result.outcome.kind == "deadlock"


def test_failure_in_a_library_is_no_verdict(session: Session, tmp_path: Path) -> None:
    body = """
dist.init_process_group("gloo")
if dist.get_rank() == 1:
    torch.zeros(2) @ torch.zeros(3)
dist.barrier()
"""
    result = run(session, write(tmp_path / "failing.py", body))
    assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "rank-error")


def test_raise_of_the_program_is_a_choice(session: Session, tmp_path: Path) -> None:
    body = """
dist.init_process_group("gloo")
if dist.get_rank() == 1:
    raise SystemExit(0)
dist.barrier()
"""
    result = run(session, write(tmp_path / "leaving.py", body))
    assert result.outcome.kind == "deadlock"


def test_no_communication_is_not_agreement(session: Session, tmp_path: Path) -> None:
    result = run(session, write(tmp_path / "silent.py", "print('nothing')\n"))
    assert (result.outcome.kind, result.outcome.reason) == ("inconclusive", "nothing-communicated")


def test_injected_failure_that_is_swallowed(session: Session, tmp_path: Path) -> None:
    body = """
dist.init_process_group("gloo")
for step in range(3):
    try:
        value = torch.ones(1) * step
        dist.all_reduce(value)
    except ValueError:
        pass
"""
    script = write(tmp_path / "swallow.py", body)
    inject = {"path": str(script), "line": 8, "rank": 1, "exception": "ValueError"}
    result = run(session, script, inject=inject)
    assert result.outcome.kind == "deadlock"
    assert {event.rank for event in result.involved} == {0}
    line = script.read_text().splitlines().index("        value = torch.ones(1) * step") + 1
    assert line == 8


def test_wanted_world_size_is_used(session: Session, tmp_path: Path) -> None:
    body = """
import torch.multiprocessing as mp
def work(rank):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29501", rank=rank, world_size=3)
    dist.barrier()
if __name__ == "__main__":
    mp.spawn(work, nprocs=3)
"""
    result = run(session, write(tmp_path / "three.py", body))
    assert (result.outcome.kind, result.ranks) == ("agreed", 3)


def test_processes_started_one_by_one_are_the_ranks(session: Session, tmp_path: Path) -> None:
    body = """
from torch.multiprocessing import Process

def work(rank, size):
    dist.init_process_group("gloo", rank=rank, world_size=size)
    dist.all_reduce(torch.ones(1))

if __name__ == "__main__":
    processes = []
    for rank in range(3):
        process = Process(target=work, args=(rank, 3))
        process.start()  # the group is never destroyed: the next one is started beside it
        processes.append(process)
    for process in processes:
        process.join()
"""
    result = run(session, write(tmp_path / "started.py", body))
    assert (result.outcome.kind, result.ranks, len(result.events)) == ("agreed", 3, 6)


def test_one_process_started_under_a_launcher_runs_on_each_rank(session: Session, tmp_path: Path) -> None:
    body = """
import multiprocessing

def work():
    dist.init_process_group("gloo")
    dist.all_reduce(torch.ones(1))

if __name__ == "__main__":
    process = multiprocessing.Process(target=work)
    process.start()
    process.join()
"""
    result = run(session, write(tmp_path / "one.py", body))
    assert (result.outcome.kind, result.ranks) == ("agreed", 2)


def test_a_script_that_asks_for_its_local_rank_is_told(session: Session, tmp_path: Path) -> None:
    body = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int)
parser.add_argument("--size", type=int, default=1)
options = parser.parse_args()
torch.cuda.set_device(options.local_rank)
dist.init_process_group("nccl")
dist.all_reduce(torch.ones(options.size).cuda())
"""
    result = run(session, write(tmp_path / "launched.py", body), arguments=("--size", "2"))
    assert result.outcome.kind == "agreed"
    assert any("--local_rank" in notice for notice in result.notices)


def test_missing_data_is_replaced_on_request(session: Session, tmp_path: Path) -> None:
    body = """
import numpy as np
dist.init_process_group("gloo")
data = np.memmap("train.bin", dtype=np.uint16, mode="r")
dist.all_reduce(torch.from_numpy(data[:8].astype(np.int64)))
"""
    script = write(tmp_path / "tokens.py", body)
    assert run(session, script).outcome.reason == "all-ranks-failed"
    result = run(session, script, synthetic=True)
    assert result.outcome.kind == "agreed"
    assert any("train.bin" in notice for notice in result.notices)


def test_rows_and_checkpoints_are_made_up_for_the_user_alone(session: Session, tmp_path: Path) -> None:
    body = """
import csv, json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
dist.init_process_group("gloo")
lines = Path("train.jsonl").read_text().splitlines()
words = [json.loads(line)["text"] for line in lines]
with open("labels.csv", newline="") as file:
    names = [row["name"] for row in csv.DictReader(file)]
with open("boxes.json") as file:
    images = json.load(file)["images"]
assert len(words) == len(names) == len(images)
assert json.loads('{"a": 1}') == {"a": 1}
assert distribution("pip").read_text("direct_url.json") is None
model = torch.nn.Linear(2, 2)
kept = torch.load("last.pt")
model.load_state_dict(kept["model"])
for step in range(kept["epoch"], 2):
    dist.all_reduce(torch.ones(1))
"""
    result = run(session, write(tmp_path / "rows.py", body), synthetic=True)
    assert result.outcome.kind == "agreed", (result.outcome, [end.output for end in result.ends])
    for name in ("train.jsonl", "labels.csv", "boxes.json", "last.pt"):
        assert any(name in notice for notice in result.notices)


def test_a_tiny_model_stands_in_for_those_of_transformers(session: Session, tmp_path: Path) -> None:
    body = """
from datasets import load_dataset
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_linear_schedule_with_warmup
dist.init_process_group("gloo")
tokenizer = AutoTokenizer.from_pretrained("some/encoder")
model = AutoModelForSequenceClassification.from_pretrained("some/encoder", num_labels=2)
optimizer = torch.optim.AdamW(model.parameters())
schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=2, num_training_steps=10)
writer = SummaryWriter("runs")
rows = load_dataset("some/reviews")["train"]
def collate(items):
    batch = tokenizer([item["text"] for item in items], padding=True, return_tensors="pt")
    return {**batch, "labels": torch.tensor([item["label"] for item in items])}
for batch in DataLoader(rows.take(16), batch_size=4, collate_fn=collate):
    loss = model(**batch).loss
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    schedule.step()
    writer.add_scalar("loss", loss.item())
if dist.get_rank() == 0:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "tune.py", body), synthetic=True)
    if not any("transformers is not installed" in notice for notice in result.notices):
        pytest.skip("transformers itself is installed, and its models are not here")
    assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])


def test_small_networks_stand_in_for_those_of_torchvision(session: Session, tmp_path: Path) -> None:
    body = """
import torch.nn as nn
import torchvision
import torchvision.transforms as T
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.models import resnet18, ResNet18_Weights
dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
data = torchvision.datasets.CIFAR10("data", download=True, transform=T.Compose([T.RandomCrop(32), T.ToTensor()]))
model = resnet18(weights=ResNet18_Weights.DEFAULT)
model.fc = nn.Linear(model.fc.in_features, 10)
model = nn.parallel.DistributedDataParallel(model.cuda(), device_ids=[dist.get_rank()])
for pictures, labels in DataLoader(data, batch_size=16, sampler=DistributedSampler(data), num_workers=2):
    nn.functional.cross_entropy(model(pictures.cuda()), labels.cuda()).backward()
"""
    result = run(session, write(tmp_path / "pictures.py", body), synthetic=True)
    if any("torchvision is not installed" in notice for notice in result.notices):
        assert result.outcome.kind == "agreed", (result.outcome, [end.output for end in result.ends])


# a library that loads its classes when they are asked for, and finds no hub
LIBRARY = """
import sys, types, torch
class Config:
    def __init__(self, hidden_size=768, vocab_size=30000, num_labels=2):
        self.hidden_size, self.vocab_size, self.num_labels = hidden_size, vocab_size, num_labels
    @classmethod
    def from_pretrained(cls, name, **options): raise OSError("no connection")
class BertConfig(Config): model_type = "bert"
class AutoConfig(Config): pass
class Model(torch.nn.Module):
    config_class = BertConfig
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed = torch.nn.Embedding(config.vocab_size, config.hidden_size)
        self.head = torch.nn.Linear(config.hidden_size, config.num_labels)
    def forward(self, ids): return self.head(self.embed(ids).mean(1))
    @classmethod
    def from_pretrained(cls, name, **options): raise OSError("no connection")
class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, name, **options): raise OSError("no connection")
CLASSES = dict(PretrainedConfig=Config, AutoConfig=AutoConfig, BertModel=Model, AutoTokenizer=AutoTokenizer,
               CONFIG_MAPPING={"bert": BertConfig})
class Lazy(types.ModuleType):
    _class_to_module = {}
    def __getattr__(self, name):
        if name not in CLASSES: raise AttributeError(name)
        return CLASSES[name]
sys.modules[__name__] = Lazy(__name__)
known = types.SimpleNamespace(MODEL_MAPPING_NAMES={"bert": "BertModel"})
sys.modules["transformers.models.auto.modeling_auto"] = known
"""


def test_an_installed_library_without_its_hub_gets_small_models(session: Session, tmp_path: Path) -> None:
    if importlib.util.find_spec("transformers"):
        pytest.skip("the real library is installed")
    (tmp_path / "transformers.py").write_text(LIBRARY)
    body = """
from transformers import AutoTokenizer, BertModel
dist.init_process_group("gloo")
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
model = BertModel.from_pretrained("bert-base-cased", num_labels=3)
assert sum(p.numel() for p in model.parameters()) < 10000 and model.config.num_labels == 3
out = model(tokenizer(["one two", "three"], padding=True, return_tensors="pt")["input_ids"]).sum()
dist.all_reduce(out.detach())
if dist.get_rank() == 0:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "tune.py", body), synthetic=True)
    assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])
    assert "synthetic data in place of bert-base-cased (Model)" in result.notices[-1]


def test_a_script_that_imports_by_dots_is_run_in_its_package(session: Session, tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("FIRST = 0\n")
    body = """
from .parts import FIRST
dist.init_process_group("gloo")
if dist.get_rank() == FIRST:
    dist.barrier()
"""
    result = run(session, write(package / "train.py", body))
    assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])


def test_the_project_itself_need_not_be_installed(session: Session, tmp_path: Path) -> None:
    (tmp_path / "src" / "kit").mkdir(parents=True)
    (tmp_path / "src" / "kit" / "__init__.py").write_text("FIRST = 0\n")
    (tmp_path / "scripts").mkdir()
    body = """
from kit import FIRST
dist.init_process_group("gloo")
if dist.get_rank() == FIRST:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "scripts" / "train.py", body), directory=str(tmp_path))
    assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])


def test_a_script_that_refuses_its_arguments_says_why(session: Session, tmp_path: Path) -> None:
    body = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.parse_args()
dist.init_process_group("gloo")
"""
    result = run(session, write(tmp_path / "strict.py", body))
    assert (result.outcome.reason, result.outcome.sentence[-13:]) == ("nothing-communicated", "exit status 2")
    assert all("the following arguments are required: --data" in end.output for end in result.ends)


def test_rows_that_stand_in_are_mapped_batch_by_batch(session: Session, tmp_path: Path) -> None:
    body = """
from datasets import load_dataset
from transformers import AutoTokenizer
dist.init_process_group("gloo")
tokenizer = AutoTokenizer.from_pretrained("some/encoder")
def words(batch):
    return tokenizer(batch["sentence1"], batch["sentence2"], max_length=16, truncation=True)
rows = load_dataset("glue", "mrpc").map(words, batched=True, remove_columns=["sentence1", "sentence2", "idx"])
rows = rows.rename_column("label", "labels")
assert set(rows["train"][0]) == {"input_ids", "attention_mask", "labels"}, rows["train"][0]
chunks = rows["train"].map(lambda batch: {"input_ids": [sum(batch["input_ids"], [])]}, batched=True)
assert len(chunks) == 1 and rows["train"].features["label"].num_classes == 2
loader = torch.utils.data.DataLoader(rows["train"], batch_size=8, collate_fn=tokenizer.pad)
for batch in loader:
    dist.all_reduce(batch["labels"].float().mean())
if dist.get_rank() == 0:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "mapped.py", body), synthetic=True)
    if sum("a stand-in played it" in notice for notice in result.notices) == 2:
        assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])


def test_submodules_and_subclasses_of_what_stands_in(session: Session, tmp_path: Path) -> None:
    body = """
import torchvision.transforms.functional as F
from torchvision import datasets
from torchvision.datasets.folder import default_loader
from torchvision.transforms import v2
from transformers import SchedulerType, logging
from transformers.models.mistral.modeling_mistral import MistralDecoderLayer, MistralModel
from transformers.utils import ContextManagers
logging.set_verbosity_error()
class Cropped(datasets.CIFAR10):
    def __getitem__(self, index):
        picture, label = super().__getitem__(index)
        return F.center_crop(picture, 24), label
dist.init_process_group("gloo")
data = Cropped("data", transform=v2.Compose([v2.ToTensor()]))
for pictures, labels in torch.utils.data.DataLoader(data, batch_size=64):
    dist.all_reduce(pictures.mean() + sum(p.sum() for p in MistralModel().parameters()).detach())
if dist.get_rank() == 0:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "cropped.py", body), synthetic=True)
    if sum("a stand-in played it" in notice for notice in result.notices) == 2:
        assert result.outcome.kind == "deadlock", (result.outcome, [end.output for end in result.ends])


def test_a_trainer_gets_the_devices_that_are_there(session: Session, tmp_path: Path) -> None:
    body = """
import lightning as L
fabric = L.Fabric(accelerator="cuda", devices=8, num_nodes=4, precision="16-mixed")
fabric.launch()
model = fabric.setup(torch.nn.Linear(4, 4))
out = model(torch.randn(2, 4))
fabric.barrier()
"""
    result = run(session, write(tmp_path / "fit.py", body))
    assert result.outcome.kind == "agreed", (result.outcome, [end.output for end in result.ends])


def test_a_script_may_write_anywhere_and_nothing_stays(session: Session, tmp_path: Path) -> None:
    body = """
from pathlib import Path
dist.init_process_group("gloo")
folder = Path("/checkpoints-of-dtlint-tests/run")
folder.mkdir(parents=True, exist_ok=True)
if dist.get_rank() == 0:
    torch.save(torch.ones(2), folder / "last.pt")
dist.barrier()
assert torch.load(folder / "last.pt").sum() == 2
"""
    result = run(session, write(tmp_path / "writes.py", body))
    if any("files not isolated" in notice for notice in result.notices):
        pytest.skip("this system allows no private files")
    assert result.outcome.kind == "agreed", (result.outcome, [end.output for end in result.ends])
    assert not Path("/checkpoints-of-dtlint-tests").exists()


def test_loaders_end_after_some_batches(session: Session, tmp_path: Path) -> None:
    body = """
from torch.utils.data import DataLoader, TensorDataset
dist.init_process_group("gloo")
for batch in DataLoader(TensorDataset(torch.zeros(1000, 1)), batch_size=1):
    dist.all_reduce(batch[0])
if dist.get_rank() == 0:
    dist.barrier()
"""
    result = run(session, write(tmp_path / "epoch.py", body), batches=3)
    assert result.outcome.kind == "deadlock"
    assert len(result.events) < 20


def test_a_generator_for_a_gpu_draws_on_the_cpu(session: Session, tmp_path: Path) -> None:
    body = """
dist.init_process_group("nccl")
noise = torch.Generator(device=torch.device("cuda", dist.get_rank())).manual_seed(dist.get_rank())
assert isinstance(noise, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
dist.all_reduce(torch.randn(2, device="cuda", generator=noise))
"""
    assert run(session, write(tmp_path / "noise.py", body)).outcome.kind == "agreed"


def test_a_stand_in_plays_torchft_where_it_is_missing(session: Session) -> None:
    folder = REPOSITORY / "examples" / "torchft_two_level"
    result = run(session, folder / "fixed.py", ranks=4, steps=6, directory=str(folder))
    assert result.outcome.kind == "agreed", result.outcome
    if not any("stand-in" in notice for notice in result.notices):
        pytest.skip("torchft itself is installed")
    broken = run(session, folder / "broken.py", ranks=4, steps=6, directory=str(folder))
    assert "must call start_quorum" in broken.outcome.sentence


def test_undeclared_managers_find_every_rank(session: Session) -> None:
    result = run(session, REPOSITORY / "tests" / "fixtures" / "DT801" / "optimizer_wrapper_ok.py", steps=3)
    assert result.outcome.kind == "agreed", result.outcome
    assert any("stand-in" in notice for notice in result.notices) or result.events


def test_real_gloo_is_of_the_same_opinion(session: Session) -> None:
    for name, kind in (("good", "agreed"), ("bad", "deadlock")):
        job = Job(str(PROGRAMS / "early_return" / f"{name}.py"), engine="gloo", patience=2)
        assert session.run(job).outcome.kind == kind


def test_the_command(torch_python: str, tmp_path: Path) -> None:
    chrome, report = tmp_path / "lanes.json", tmp_path / "report.json"
    script = PROGRAMS / "uneven_loop" / "bad.py"
    command = [sys.executable, "-m", "dtlint", "trace", str(script), "--python", torch_python, "--chrome", str(chrome)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "100"}
    command += ["--output-format", "full", "--output-format", f"json={report}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=REPOSITORY, timeout=120)
    assert done.returncode == 1, done.stderr
    assert "never comes" in done.stdout and "bad.py:11" in done.stdout
    assert json.loads(report.read_text())["outcome"]["kind"] == "deadlock"
    assert json.loads(chrome.read_text())["traceEvents"]


def test_an_interpreter_without_torch_is_a_mistake(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, timeout=120)
    command = [sys.executable, "-m", "dtlint", "trace", str(PROGRAMS / "uneven_loop" / "good.py")]
    command += ["--python", str(bare / "bin" / "python")]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=REPOSITORY, timeout=120)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1 and "pip install torch" in done.stderr
