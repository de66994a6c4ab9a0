import dataclasses
import json
import pathlib


@dataclasses.dataclass
class Settings:
    out: pathlib.Path
    lr: float = 0.1
    epochs: int = 2

    def __post_init__(self):
        self.out = pathlib.Path(self.out)
        self.write()

    def write(self):
        self.out.mkdir(parents=True, exist_ok=True)
        fields = {**dataclasses.asdict(self), "out": str(self.out)}
        (self.out / "settings.json").write_text(json.dumps(fields))
