import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Patience:
    """Slow file systems let some hosts come late."""

    seconds: int = 900

    def export(self):
        os.environ["XLA_RENDEZVOUS_WAIT_SECONDS"] = str(self.seconds)
