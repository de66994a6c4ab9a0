import os
from datetime import timedelta

from torchft import Manager, ProcessGroupGloo


class Replicas:
    """What a training loop needs to know about the other replicas."""

    def __init__(self, name, save, load):
        self.index = int(os.environ.get("REPLICA_GROUP_ID", "0"))
        self.count = int(os.environ.get("NUM_REPLICA_GROUPS", "2"))
        self._manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            load_state_dict=load,
            state_dict=save,
            min_replica_size=1,
            replica_id=f"{name}_{self.index}",
            timeout=timedelta(seconds=20),
        )

    def begin(self):
        self._manager.start_quorum()

    def average(self, tensors):
        for work in [self._manager.allreduce(t) for t in tensors]:
            work.wait()

    def finish(self):
        """True if this round counts for all replicas."""
        return self._manager.should_commit()

    @property
    def rounds(self):
        return self._manager.current_step()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self._manager.shutdown(wait=False)
