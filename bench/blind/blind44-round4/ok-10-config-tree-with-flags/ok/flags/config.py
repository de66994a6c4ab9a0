import argparse
import dataclasses


@dataclasses.dataclass
class Flags:
    sync_bn: bool = False
    evaluate: bool = True
    compile: bool = False
    epochs: int = 2

    @classmethod
    def parse(cls, argv=None):
        ap = argparse.ArgumentParser()
        for field in dataclasses.fields(cls):
            if field.type == "bool" or field.type is bool:
                ap.add_argument(f"--{field.name}", action=argparse.BooleanOptionalAction, default=field.default)
            else:
                ap.add_argument(f"--{field.name}", type=int, default=field.default)
        return cls(**vars(ap.parse_args(argv)))
