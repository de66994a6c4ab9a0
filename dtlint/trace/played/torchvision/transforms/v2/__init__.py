"""The second interface of the same."""

from torchvision.transforms import InterpolationMode, Same, __getattr__  # noqa: F401
