#!/bin/bash
#SBATCH --job-name=md
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8

export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29611
srun --kill-on-bad-exit=1 python train.py
