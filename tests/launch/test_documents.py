"""What do the documents of a project start, and how?"""

from pathlib import Path

import pytest

from dtlint.launch.documents import document_files, requirements_above, started
from dtlint.project.started import Started
from dtlint.source.text import SourceFile


def told(text: str, name: str = "README.md", programs: tuple[str, ...] = ()) -> Started:
    return started([SourceFile(name, Path(name), text.encode())], dict.fromkeys(programs, ""))


def test_a_program_may_be_started_by_itself() -> None:
    found = told("Then:\n\n    python tools/embed.py --data a\n    torchrun \\\n      --nproc_per_node=8 train.py\n")
    assert found.by_itself("tools/embed.py")
    assert found.by_itself("here/tools/embed.py")
    assert not found.by_itself("train.py")
    assert found.launching == {""}


def test_a_document_may_leave_the_choice_of_a_program() -> None:
    found = told("python ./tasks/{tldr, hh}/train.py\ntorchrun big/{a,b}.py\n")
    assert found.by_itself("tasks/tldr/train.py")
    assert found.by_itself("tasks/hh/train.py")
    assert found.launched == {"*/big/a.py", "*/big/b.py"}


def test_a_document_means_the_programs_near_it() -> None:
    programs = ("train.py", "a/train.py", "a/tools/embed.py", "b/train.py")
    found = told("torchrun train.py\npython ../tools/embed.py\n", "a/scripts/README.md", programs)
    assert found.launched == {"a/train.py"}
    assert found.by_itself("a/tools/embed.py")
    assert found.beside_launched("a/train.py")
    assert not found.beside_launched("train.py")
    assert not found.beside_launched("a/tools/embed.py")


def test_a_launcher_of_unknown_programs_counts_where_it_is_written() -> None:
    found = told("torchrun $PROGRAM\n", "a/run.sh", ("train.py", "a/train.py"))
    assert found.beside_launched("a/train.py")
    assert not found.beside_launched("train.py")


@pytest.mark.parametrize(
    "line",
    [
        "python -m torch.distributed.run embed.py",
        "accelerate launch embed.py",
        "python -m torch.distributed.launch -m embed",
        "$LAUNCHER embed.py",
        "srun python embed.py",
    ],
)
def test_a_launcher_anywhere_counts(line: str) -> None:
    assert not told(f"python embed.py\n{line}\n").by_itself("embed.py")


def test_prose_that_names_a_launcher_starts_nothing() -> None:
    assert not told("Install accelerate first.\n\n    python train.py\n").launching


def test_what_is_only_mentioned_is_not_started() -> None:
    assert told("See `embed.py` and edit it.\n").alone == frozenset()


def test_a_batch_job_starts_its_programs_several_times() -> None:
    assert not told("#SBATCH --ntasks=4\npython embed.py\n", "job.sh").by_itself("embed.py")


def test_documents_lie_below_the_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "use.rst").write_text("python a.py\n")
    (tmp_path / "a.py").write_text("")
    assert [file.path for file in document_files(["."]).files] == ["docs/use.rst"]
    assert document_files(["a.py"]).files == []


@pytest.mark.parametrize(
    "line",
    [
        "torchrun --nproc_per_node=1 prune.py",
        "python -m torch.distributed.launch --nproc-per-node 1 --master_port 6665 \\\n  prune.py",
        "deepspeed --num_nodes 1 --num_gpus 1 prune.py",
        "# deepspeed --include worker-0:3 --master_port 60000 prune.py",
        "accelerate launch --num_processes 1 prune.py",
    ],
)
def test_a_launcher_may_start_one_process(line: str) -> None:
    assert told(f"{line}\n").as_one_process("prune.py")


@pytest.mark.parametrize(
    "line",
    [
        "torchrun --nproc_per_node=16 prune.py",
        "torchrun --nproc_per_node=1 --nnodes 4 prune.py",
        "deepspeed --num_nodes 2 --num_gpus 1 prune.py",
        "deepspeed --include worker-0:0,1 prune.py",
        "deepspeed prune.py",
        "torchrun --nproc_per_node=$GPUS prune.py",
    ],
)
def test_a_launcher_may_start_several_processes(line: str) -> None:
    assert not told(f"torchrun --nproc_per_node=1 prune.py\n{line}\n").as_one_process("prune.py")


@pytest.mark.parametrize("line", ["CUDA_VISIBLE_DEVICES=0 python", "CUDA_VISIBLE_DEVICES='3' accelerate launch"])
def test_a_document_may_show_one_device(line: str) -> None:
    assert told(f"{line} answer.py\n").on_one_device("answer.py")
    assert not told(f"{line} answer.py\npython answer.py\n").on_one_device("answer.py")


@pytest.mark.parametrize("line", ["CUDA_VISIBLE_DEVICES=0,1 python", "CUDA_VISIBLE_DEVICES=$GPU python", "python"])
def test_a_document_may_show_more_devices(line: str) -> None:
    assert not told(f"{line} answer.py\n").on_one_device("answer.py")


ONE_TASK = "#SBATCH -N 1\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:a100:1\n"


def test_a_batch_job_may_be_one_task() -> None:
    assert told(f"{ONE_TASK}srun python write.py --seed 3\n", "job.sh").as_one_process("write.py")
    assert told("#SBATCH --gres=gpu:a100:1\npython write.py --seed 3\n", "job.sh").as_one_process("write.py")


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE_TASK}srun torchrun --nproc_per_node=4 write.py\n",
        f"{ONE_TASK}srun -n 4 python write.py\n",
        f"{ONE_TASK.replace('-N 1', '-N 2')}srun python write.py\n",
        f"{ONE_TASK.replace('=1', '=4')}srun python write.py\n",
        f"{ONE_TASK.replace(':1', ':4')}srun python write.py\n",
    ],
)
def test_a_batch_job_may_be_several_processes(text: str) -> None:
    assert not told(text, "job.sh").as_one_process("write.py")


def test_requirements_of_the_folders_around_what_is_asked_for(tmp_path, monkeypatch) -> None:
    (tmp_path / "project" / "deep").mkdir(parents=True)
    for name in ("requirements.txt", "project/setup.py", "project/deep/train.py", "project/labels.txt"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    root = (tmp_path / "project").resolve()
    assert [file.path for file in requirements_above(["project/deep/train.py"], root)] == ["project/setup.py"]
    assert [file.path for file in requirements_above(["project/deep"], root)] == ["project/setup.py"]
    assert requirements_above(["project"], root) == []


def test_variables_of_a_script_stand_for_one_word() -> None:
    set_first = "GPUS=1\nPROGRAM=/home/me/project/tools/embed.py\n\n"
    text = set_first + "torchrun --nnodes=1 --nproc-per-node=$GPUS ${PROGRAM} --all\n"
    found = told(text, "tools/embed.sh", ("tools/embed.py", "tools/train.py"))
    assert found.as_one_process("tools/embed.py")
    assert found.on_one_machine("tools/embed.py")
    assert not found.as_one_process("tools/train.py")


@pytest.mark.parametrize("other", ["GPUS=8", "GPUS=$1", "for GPUS in 1 2; do", 'read -p "how many? " GPUS', "GPUS+=2"])
def test_a_variable_may_stand_for_something_else(other: str) -> None:
    assert not told(f"GPUS=1\n{other}\ntorchrun --nproc_per_node=$GPUS embed.py\n", "run.sh").as_one_process("embed.py")


HEADS = (
    '"""Train a network.\n\nUsage:\n    torchrun --nproc_per_node=8 {name} --data a\n"""\n\nimport torch\n',
    "#!/usr/bin/env python\n# Run: accelerate launch {name}\n\nimport torch\n",
    "'''Then:\n\n$ OMP_NUM_THREADS=1 python -m torch.distributed.run \\\n    --nproc-per-node 8 \\\n    {name}\n'''\n",
)


@pytest.mark.parametrize("head", HEADS)
def test_the_head_of_a_program_tells_how_it_is_started(head: str) -> None:
    found = started([], {"tools/train.py": head.format(name="train.py"), "tools/embed.py": "import torch\n"})
    assert found.by_a_launcher("tools/train.py")
    assert found.as_several_processes("tools/train.py")
    assert not found.by_a_launcher("tools/embed.py")


def test_a_program_whose_head_starts_it_by_itself() -> None:
    assert started([], {"embed.py": '"""Usage: python embed.py --data a"""\nimport torch\n'}).by_itself("embed.py")


@pytest.mark.parametrize(
    "text",
    [
        '"""A copy of accelerate\'s nlp_example.py, made to start by torchrun with train.py."""\n',
        '"""See there."""\nTEXT = """\ntorchrun train.py\n"""\n',
        "import torch\n# torchrun train.py\n",
    ],
)
def test_prose_and_what_comes_later_in_a_program_start_nothing(text: str) -> None:
    assert not started([], {"train.py": text}).by_a_launcher("train.py")
