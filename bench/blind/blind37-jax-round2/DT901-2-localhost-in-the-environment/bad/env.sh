module load cuda
source "$HOME/venv/bin/activate"
export NCCL_SOCKET_IFNAME=ib0
RDZV_HOST=localhost
