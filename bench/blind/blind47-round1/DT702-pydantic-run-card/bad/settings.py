from pathlib import Path

from pydantic import BaseModel, Field, field_validator


class Optim(BaseModel):
    lr: float = Field(1e-3, gt=0)
    weight_decay: float = 0.01


class Settings(BaseModel):
    out: Path = Path("runs/latest")
    epochs: int = 5
    batch_size: int = Field(32, ge=1)
    optim: Optim = Optim()

    @field_validator("out")
    @classmethod
    def absolute(cls, value: Path) -> Path:
        return value.absolute()
