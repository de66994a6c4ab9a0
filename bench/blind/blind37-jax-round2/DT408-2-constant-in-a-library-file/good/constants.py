import numpy as np

LOG_2PI = float(np.log(2 * np.pi))
FREQUENCIES = np.exp(np.linspace(0.0, np.log(1000.0), 16)).astype(np.float32)
