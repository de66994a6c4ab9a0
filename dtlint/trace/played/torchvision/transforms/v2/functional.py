"""The second interface of the same."""

from torchvision.transforms.functional import InterpolationMode, __getattr__, same  # noqa: F401
