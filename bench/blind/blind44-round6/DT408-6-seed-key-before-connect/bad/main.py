from app.seeds import base_key
from app.trainer import Trainer

if __name__ == "__main__":
    Trainer(base_key(0)).run(50)
