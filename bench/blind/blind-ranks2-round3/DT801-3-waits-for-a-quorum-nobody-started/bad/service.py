import os
from contextlib import AbstractContextManager
from datetime import timedelta

from torchft import Manager, ProcessGroupGloo


class Fleet(AbstractContextManager):
    def __init__(self, name, state, minimum=1):
        self.index = int(os.environ.get("REPLICA_GROUP_ID", "0"))
        self.manager = Manager(
            pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
            load_state_dict=state.load_state_dict,
            state_dict=state.state_dict,
            min_replica_size=minimum,
            replica_id=f"{name}-{self.index}",
            timeout=timedelta(seconds=20),
        )

    def ready(self):
        """Blocks until enough replicas are there."""
        self.manager.wait_quorum()
        return self.manager.num_participants()

    def __exit__(self, *failure):
        self.manager.shutdown(wait=False)
