"""A stand-in for Horovod, for machines without it: its PyTorch half over torch.distributed."""

STANDIN = True
__version__ = "0.28.1+standin"
