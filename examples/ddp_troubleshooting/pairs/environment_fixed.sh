#!/usr/bin/env bash
export NCCL_DEBUG="${NCCL_DEBUG:-WARN}"
torchrun --standalone --nproc_per_node="${PROCESSES:-2}" environment_fixed.py
