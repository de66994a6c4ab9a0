import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Patience:
    """Slow file systems let some hosts come late."""

    seconds: int = 900

    def options(self):
        return {"initialization_timeout": self.seconds}
