import numpy as np

ANGLES = np.linspace(0.0, np.pi, 32, dtype=np.float32)
WINDOW = np.hanning(32).astype(np.float32)
