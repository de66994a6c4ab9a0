"""What is started, with what, how often, and through which wrappers?"""

from __future__ import annotations

import pytest

from dtlint.launch.shell_values import shown
from tests.launch.sources import loaded, started


@pytest.mark.parametrize(
    ("line", "kind", "script"),
    [
        ("torchrun --nproc_per_node=2 train.py --lr 1", "torchrun", "train.py"),
        ("torchrun --nproc-per-node 2 -m app.train", "torchrun", "app.train"),
        ("/opt/venv/bin/torchrun --standalone train.py", "torchrun", "train.py"),
        ("python -m torch.distributed.run --nproc_per_node 2 train.py", "torchrun", "train.py"),
        ("python3.11 -u -m torch.distributed.launch --use_env main.py", "torch.distributed.launch", "main.py"),
        ("accelerate launch --mixed_precision bf16 --multi_gpu train.py", "accelerate", "train.py"),
        ("accelerate-launch --cpu train.py", "accelerate", "train.py"),
        ("python -m accelerate.commands.launch --num_processes 2 train.py", "accelerate", "train.py"),
        ("deepspeed --num_gpus 4 --master_port 1 train.py --deepspeed ds.json", "deepspeed", "train.py"),
        ("deepspeed --include localhost:0,1 --module app.train", "deepspeed", "app.train"),
        ("CUDA_VISIBLE_DEVICES=0,1 OMP_NUM_THREADS=1 torchrun train.py", "torchrun", "train.py"),
        ("env A=1 torchrun train.py", "torchrun", "train.py"),
        ("nohup torchrun train.py > log 2>&1 &", "torchrun", "train.py"),
        ("sudo -E torchrun train.py", "torchrun", "train.py"),
        ("timeout -k 5 3600 torchrun train.py", "torchrun", "train.py"),
        ("numactl --cpunodebind=0 torchrun train.py", "torchrun", "train.py"),
        ("uv run --no-sync torchrun train.py", "torchrun", "train.py"),
        ("singularity exec --nv image.sif torchrun train.py", "torchrun", "train.py"),
        ("docker run --gpus all image:1 bash -c 'cd app && torchrun train.py'", "torchrun", "train.py"),
        ("nsys profile -o out torchrun train.py", "torchrun", "train.py"),
        ("bash -lc 'source x; torchrun train.py'", "torchrun", "train.py"),
        ('eval "torchrun train.py"', "torchrun", "train.py"),
        ('CMD="torchrun train.py"; $CMD', "torchrun", "train.py"),
        ("ssh node1 'cd app; torchrun train.py'", "torchrun", "train.py"),
        ("tmux new-session -d 'torchrun train.py'", "torchrun", "train.py"),
        ("mason --gpus 8 -- torchrun train.py", "torchrun", "train.py"),
        ("time torchrun train.py", "torchrun", "train.py"),
        ("exec torchrun train.py", "torchrun", "train.py"),
        ("if true; then torchrun train.py; fi", "torchrun", "train.py"),
        ("${PYTHON:-python} -m torch.distributed.run train.py", "torchrun", "train.py"),
        ("bash <<EOF\ntorchrun train.py\nEOF", "torchrun", "train.py"),
        ("python train.py --x 1", "python", "train.py"),
    ],
)
def test_one_start(tmp_path, line, kind, script):
    found = started(tmp_path, line)
    assert [(item.kind, item.script) for item in found] == [(kind, script)]


@pytest.mark.parametrize(
    "line", ["echo torchrun a.py", "pip install deepspeed", "pkill -f torchrun", "which torchrun", "python -c 1"]
)
def test_commands_that_only_speak_of_launchers(tmp_path, line):
    assert started(tmp_path, line) == []


@pytest.mark.parametrize(
    ("line", "nodes", "each", "world"),
    [
        ("torchrun train.py", 1, 1, 1),
        ("torchrun --nproc_per_node 8 train.py", 1, 8, 8),
        ("torchrun --nnodes 2 --nproc_per_node 8 train.py", 2, 8, 16),
        ("torchrun --nnodes 2:2 --nproc_per_node 8 train.py", 2, 8, 16),
        ("torchrun --nnodes 1:4 --nproc_per_node 8 train.py", None, 8, None),
        ("torchrun --nnodes $N --nproc_per_node 8 train.py", None, 8, None),
        ("torchrun --nproc_per_node gpu train.py", 1, None, None),
        ("torchrun $ARGS train.py", None, None, None),
        ("PET_NNODES=4 torchrun --nproc_per_node 2 train.py", 4, 2, 8),
        ("accelerate launch --num_machines 2 --num_processes 16 train.py", 2, 8, 16),
        ("accelerate launch train.py", 1, None, None),
        ("deepspeed --num_nodes 2 --num_gpus 4 train.py", 2, 4, 8),
        ("deepspeed --include localhost:0,2,5 train.py", 1, 3, 3),
        ("deepspeed --include a:0,1@b:0,1 train.py", 2, 2, 4),
        ("deepspeed train.py", None, None, None),
        ("mpirun -np 16 -npernode 8 python train.py", 2, 8, 16),
        ("mpirun -n 4 -H a,b --mca btl ^openib -x PATH python train.py", 2, None, 4),
    ],
)
def test_how_often(tmp_path, line, nodes, each, world):
    (found,) = started(tmp_path, line)
    assert (found.nodes, found.processes_per_node, found.world_size) == (nodes, each, world)


@pytest.mark.parametrize(
    ("header", "command", "nodes", "tasks", "devices"),
    [
        ("--nodes=2 --ntasks-per-node=4 --gpus-per-node=4", "srun", 2, 4, 4),
        ("-N 2 -n 8 --gres=gpu:a100:4", "srun", 2, 4, 4),
        ("-N2 --gres=gpu:8", "srun", 2, 1, 8),
        ("--nodes=2 --gpus=16", "srun", 2, 1, 8),
        ("--nodes=2-2 --ntasks-per-node=2 --gpus-per-task=1", "srun", 2, 2, 2),
        ("--ntasks=1 --gpus=4", "srun", 1, 1, 4),
        ("--nodes=4 --ntasks-per-node=8", "srun --nodes=1 --ntasks=1", 1, 1, None),
        ("--nodes=4", "srun -l --export=ALL -n 4", 4, 1, None),
        ("--nodes=2 --ntasks-per-gpu=1 --gpus-per-node=4", "srun", 2, None, 4),
        ("--nodes=1-4", "srun", None, 1, None),
        ("--partition=gpu", "srun", None, None, None),
    ],
)
def test_steps_of_a_slurm_job(tmp_path, header, command, nodes, tasks, devices):
    text = f"#!/bin/bash\n#SBATCH {header}\n\n{command} python train.py\n"
    (found,) = started(tmp_path, text, "job.sbatch")
    assert found.outer is not None and found.outer.kind == "srun"
    assert (found.outer.nodes, found.outer.tasks_per_node, found.outer.devices_per_node) == (nodes, tasks, devices)


def test_directives_end_with_the_first_command(tmp_path):
    text = "#!/bin/bash\n#SBATCH --nodes=2\n##SBATCH --nodes=3\n\necho hi\n#SBATCH --nodes=9\nsrun python train.py\n"
    (found,) = started(tmp_path, text, "job.sbatch")
    assert found.outer.nodes == 2


def test_slurm_variables_have_the_values_of_the_job(tmp_path):
    text = """
        #!/bin/bash
        #SBATCH --nodes=4
        #SBATCH --ntasks-per-node=1
        #SBATCH --gres=gpu:8
        srun torchrun --nnodes=$SLURM_NNODES --nproc_per_node=$SLURM_GPUS_ON_NODE --node_rank=$SLURM_NODEID train.py
    """
    (found,) = started(tmp_path, text, "job.sbatch")
    assert (found.nodes, found.world_size) == (4, 32)
    assert shown(found.options.get("node_rank").value) == "$SLURM_NODEID"


def test_a_script_in_a_script(tmp_path):
    text = """
        NODES=2
        sbatch <<EOT
        #!/bin/bash
        #SBATCH --nodes=$NODES
        #SBATCH --ntasks-per-node=1
        srun torchrun --nnodes=\\$SLURM_NNODES --nproc_per_node=8 train.py
        EOT
    """
    (found,) = started(tmp_path, text)
    assert (found.nodes, found.line) == (2, 6)
    assert found.step("batch job").nodes == 2
    (wrapped,) = started(tmp_path, "sbatch --nodes=2 --wrap='srun torchrun --nnodes 2 train.py'\n")
    assert wrapped.step("batch job").nodes == 2


def test_lines_of_options_in_continued_commands_and_strings(tmp_path):
    text = 'srun bash -c "torchrun \\\n  --nnodes 2 \\\n  --nproc_per_node 8 \\\n  train.py"\n'
    (found,) = started(tmp_path, text)
    assert [(item.name, item.line) for item in found.options] == [("nnodes", 2), ("nproc_per_node", 3)]


def test_tpu_commands(tmp_path):
    text = (
        "gcloud compute tpus tpu-vm ssh pod --zone=z --worker=all --command='python3 train.py --x 1'\n"
        "gcloud alpha compute tpus tpu-vm ssh --zone z pod --worker 0 -- python3 eval.py\n"
        "gcloud compute tpus tpu-vm list --zone=z\n"
    )
    found = loaded(tmp_path, {"run.sh": text})
    programs = [launch for launch in found if launch.kind == "python"]
    assert [launch.script for launch in programs] == ["train.py", "eval.py"]
    assert [launch.step("tpu-vm ssh").options.get("worker").value for launch in programs] == ["all", "0"]


def test_the_settings_a_launch_names(tmp_path):
    found = loaded(
        tmp_path,
        {
            "scripts/run.sh": "accelerate launch --config_file ../conf/fsdp.yaml --num_processes 4 train.py\n"
            "deepspeed --hostfile hosts --num_gpus 2 train.py --deepspeed ../conf/ds.json\n",
            "conf/fsdp.yaml": "compute_environment: LOCAL_MACHINE\nnum_machines: 2\nnum_processes: 16\n",
            "conf/ds.json": '{"train_batch_size": 8}',
        },
    )
    assert found.launches[0].configuration.path == "conf/fsdp.yaml"
    first, second = found.launches
    assert (first.nodes, first.world_size) == (2, 4)  # the command line wins
    assert second.deepspeed.path == "conf/ds.json" and second.configuration is None
    (tmp_path / "scripts" / "hosts").write_text("a slots=2\nb slots=2\n")
    again = loaded(tmp_path, {"scripts/run.sh": "deepspeed --hostfile hosts train.py\n"})
    assert again.launches[0].world_size == 4


def test_which_launches_start_a_program(tmp_path):
    found = loaded(
        tmp_path, {"scripts/run.sh": "torchrun ../src/app/train.py\ntorchrun -m app.evaluate\npython other.py\n"}
    )
    assert [launch.line for launch in found.of_script("src/app/train.py")] == [1]
    assert [launch.line for launch in found.of_script("src/app/evaluate.py")] == [2]
    assert found.of_script("src/app/model.py") == []


def test_a_variable_is_told_with_the_file_it_is_written_in(tmp_path):
    found = loaded(
        tmp_path,
        {
            "cluster.sh": "# for all of them\nexport NCCL_DEBUG=WARN\nexport PORT=1\n",
            "run.sh": "source cluster.sh\nexport PORT=2\npython train.py\n",
        },
    )
    environment = found.launches[0].environment
    assert environment["NCCL_DEBUG"].origin == ("cluster.sh", 2)
    assert environment["PORT"].origin is None
