import torch_xla

from xla.worker import worker

if __name__ == "__main__":
    torch_xla.launch(worker, args=(3,))
