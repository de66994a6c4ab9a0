#!/bin/bash
#SBATCH --job-name=vit
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=12
#SBATCH --time=48:00:00

module load python/3.11 cuda/12.4
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n1)
export MASTER_PORT=29512

srun --kill-on-bad-exit=1 python train_vit.py --config configs/vit_l.yaml
