import heapq
import pathlib


def dealt(folder, world):
    """Lists of files of about equal size, equally long."""
    files = sorted(pathlib.Path(folder).glob("*.pt"), key=lambda p: (-p.stat().st_size, p.name))
    files = files[: len(files) // world * world]
    heap = [(0, rank, []) for rank in range(world)]
    for path in files:
        size, rank, own = heapq.heappop(heap)
        own.append(path)
        heapq.heappush(heap, (size + path.stat().st_size, rank, own))
    by_rank = {rank: own for _, rank, own in heap}
    most = min(map(len, by_rank.values()))
    return {rank: own[:most] for rank, own in by_rank.items()}
