import torch
import torch.distributed as dist

from jobs.session import Session


def read(path, rank):
    rows = torch.load(f"{path}/{rank}.pt", map_location="cpu", weights_only=True)
    if rows.isnan().any():
        raise ValueError(f"rank {rank}: broken rows in {path}")
    return rows


def covariance(rows):
    total = rows.T @ rows
    count = torch.tensor(float(len(rows)), device=rows.device)
    dist.all_reduce(total)
    dist.all_reduce(count)
    return total / count


def main(path="/data/rows"):
    with Session() as session:
        rows = read(path, dist.get_rank()).to(session.device)
        cov = covariance(rows)
        values = torch.linalg.eigvalsh(cov)
        if dist.get_rank() == 0:
            torch.save(values.cpu(), "spectrum.pt")


if __name__ == "__main__":
    main()
