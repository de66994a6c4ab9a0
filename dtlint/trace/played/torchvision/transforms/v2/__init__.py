"""The second interface of the same."""

from torchvision.transforms import Compose, InterpolationMode, Same, __getattr__  # noqa: F401
