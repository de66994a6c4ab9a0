#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=32

export HEAD_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
srun --kill-on-bad-exit=1 bash -c 'accelerate launch --config_file conf/two_nodes.yaml --machine_rank "$SLURM_NODEID" --main_process_ip "$HEAD_NODE" train.py'
