#!/usr/bin/env bash
set -euo pipefail
: "${HEAD:?address of the first node}" "${NODES:=2}"

export NCCL_DEBUG=WARN
export NCCL_SOCKET_IFACE=ib0
export OMP_NUM_THREADS=8

exec torchrun --nnodes "$NODES" --nproc-per-node 8 --rdzv-id sim --rdzv-backend c10d --rdzv-endpoint "$HEAD:29777" sim.py
