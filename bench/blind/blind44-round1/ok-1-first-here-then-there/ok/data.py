import pathlib
import urllib.request

import numpy as np
import torch
from torch.utils.data import TensorDataset

from order import node_first

LOCAL = pathlib.Path("/tmp/digits.npz")


def digits(url):
    with node_first():
        if not LOCAL.exists():
            urllib.request.urlretrieve(url, LOCAL)
    with np.load(LOCAL) as z:
        return TensorDataset(torch.from_numpy(z["x"]).float(), torch.from_numpy(z["y"]).long())
