"""Synthetic sensor sequences: which of four fault classes does a short multivariate recording show?"""

from __future__ import annotations

import numpy as np

CLASSES = 4
STEPS = 12
FEATURES = 6


class SensorDataset:
    """A map-style dataset of (sequence, one-hot label, index of the last valid step)."""

    def __init__(self, samples: int, seed: int = 0, missing: float = 0.0) -> None:
        generator = np.random.default_rng(seed)
        labels = generator.integers(0, CLASSES, size=samples)
        prototypes = np.random.default_rng(1234).normal(size=(CLASSES, FEATURES)).astype(np.float32)
        ramp = np.linspace(0.2, 1.0, STEPS, dtype=np.float32)[None, :, None]
        noise = generator.normal(scale=0.6, size=(samples, STEPS, FEATURES))
        self.sequences = (prototypes[labels][:, None, :] * ramp + noise).astype(np.float32)
        self.targets = np.eye(CLASSES, dtype=np.float32)[labels]
        self.last_steps = generator.integers(STEPS // 2, STEPS, size=samples).astype(np.int32)
        lost = generator.random(samples) < missing
        self.sequences[lost, 0, 0] = np.nan

    def __len__(self) -> int:
        return len(self.sequences)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.int32]:
        return self.sequences[index], self.targets[index], self.last_steps[index]


def collate(samples: list[tuple[np.ndarray, np.ndarray, np.int32]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sequences, targets, last_steps = zip(*samples, strict=True)
    return np.stack(sequences), np.stack(targets), np.asarray(last_steps)
