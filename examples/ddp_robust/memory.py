"""How much memory does this rank hold, and has it passed its limit?"""

from __future__ import annotations

import gc
import logging
import resource
import sys

import torch


class MemoryManager:
    def __init__(self, device: torch.device, limit_gb: float, logger: logging.Logger) -> None:
        self.device = device
        self.limit_gb = limit_gb
        self.logger = logger

    def resident_gb(self) -> float:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1024**3 if sys.platform == "darwin" else peak / 1024**2

    def device_gb(self) -> float:
        return torch.cuda.memory_allocated(self.device) / 1024**3 if self.device.type == "cuda" else 0.0

    def over_limit(self) -> bool:
        """This rank's view only: the caller has to ask the other ranks before acting on it."""
        resident, on_device = self.resident_gb(), self.device_gb()
        self.logger.debug("memory: %.2f GB resident, %.2f GB on device", resident, on_device)
        return max(resident, on_device) > self.limit_gb

    def release(self) -> None:
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
