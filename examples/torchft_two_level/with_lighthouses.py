"""Start one torchft lighthouse per level, then four processes that find each other there."""

from __future__ import annotations

import os
import subprocess
import sys

from torchft.coordination import LighthouseServer

from topology import CLUSTER_SIZE

WORLD_SIZE = 4


def main() -> int:
    members = {f"CLUSTER{number}": CLUSTER_SIZE for number in range(WORLD_SIZE // CLUSTER_SIZE)}
    members["OUTER"] = WORLD_SIZE // CLUSTER_SIZE
    servers = {level: LighthouseServer(bind="127.0.0.1:0", min_replicas=count) for level, count in members.items()}
    environment = os.environ | {f"LIGHTHOUSE_{level}": server.address() for level, server in servers.items()}
    ranks = [
        subprocess.Popen(
            [sys.executable, *sys.argv[1:]], env=environment | {"RANK": str(rank), "WORLD_SIZE": str(WORLD_SIZE)}
        )
        for rank in range(WORLD_SIZE)
    ]
    try:
        return max(abs(rank.wait()) for rank in ranks)
    finally:
        for rank in ranks:
            rank.kill()
        for server in servers.values():
            server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
