#!/bin/bash
#SBATCH --job-name=lm
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=64
#SBATCH --time=12:00:00

set -euo pipefail
source "$HOME/venvs/lm/bin/activate"

HEAD_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export OMP_NUM_THREADS=8

srun --kill-on-bad-exit=1 torchrun \
    --nnodes=2 \
    --nproc-per-node=8 \
    --rdzv-backend=c10d \
    --rdzv-endpoint="$HEAD_NODE:29500" \
    --rdzv-id="$SLURM_JOB_ID" \
    train.py --config configs/lm.yaml
