import numpy as np
from sklearn.model_selection import StratifiedKFold


def fold(labels, number, folds=5, seed=0):
    """Indices to train on, and those held out."""
    cutter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=seed)
    parts = list(cutter.split(np.zeros(len(labels)), labels))
    return parts[number]
