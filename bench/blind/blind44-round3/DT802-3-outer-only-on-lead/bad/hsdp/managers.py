import os
from datetime import timedelta

from torchft import Manager, ProcessGroupGloo


def manager(name, state_dict, load_state_dict):
    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        state_dict=state_dict,
        load_state_dict=load_state_dict,
        min_replica_size=1,
        replica_id=f"{name}_{os.environ['REPLICA_GROUP_ID']}",
    )
