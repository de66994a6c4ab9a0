import json
from pathlib import Path


def install(bus, env, out: Path):
    @bus.on("epoch_end")
    def report(epoch, meter):
        mean = meter.over_ranks()
        if env.lead:
            print(f"epoch {epoch}: loss {mean:.4f}", flush=True)

    if env.lead:
        best = {"loss": float("inf")}

        @bus.on("epoch_end")
        def track_best(epoch, meter):
            value = meter.over_ranks()
            if value < best["loss"]:
                best.update(loss=value, epoch=epoch)
                (out / "best.json").write_text(json.dumps(best))

    @bus.on("epoch_end")
    def clear(epoch, meter):
        meter.reset()
