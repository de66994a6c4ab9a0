import dataclasses


@dataclasses.dataclass
class LoaderSettings:
    batch_size: int = 64
    workers: int = 8
    prefetch: int | None = 4
    keep_workers: bool = True


PRESETS = {
    "full": LoaderSettings(),
    "debug": LoaderSettings(batch_size=8, workers=0, keep_workers=False),
}
