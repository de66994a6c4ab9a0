#!/bin/bash
# Writes the job for the number of nodes that is asked for, and submits it.
set -euo pipefail
NODES=${1:-2}
sbatch <<EOT
#!/bin/bash
#SBATCH --nodes=$NODES
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=48
#SBATCH --time=06:00:00
head_node=\$(scontrol show hostnames \$SLURM_JOB_NODELIST | head -n 1)
srun --kill-on-bad-exit=1 torchrun --nnodes=$NODES --nproc-per-node=4 --rdzv-id=\$SLURM_JOB_ID --rdzv-backend=c10d --rdzv-endpoint=\$head_node:29500 train.py
EOT
