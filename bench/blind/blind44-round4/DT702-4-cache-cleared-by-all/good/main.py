import torch
import torch.distributed as dist

from cachd.job import Job


def main():
    dist.init_process_group("gloo")
    job = Job("/nfs/cache/walks")
    job.run()
    if dist.get_rank() == 0:
        parts = [torch.load(p, map_location="cpu", weights_only=True) for p in sorted(job.folder.path.glob("walk*.pt"))]
        print(torch.stack(parts).mean().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
