"""What does `from_pretrained` or `load_dataset` give where the hub cannot be reached? A small one of the same kind.

A model is of its own architecture with small sizes and random weights; a tokenizer is the one that stands in for
transformers, a data set the one that stands in for datasets.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import sys
from types import ModuleType
from typing import Any

import torch

from dtlint.trace import made_up
from dtlint.trace.absent import PLAYED, Calls, Nothing
from dtlint.trace.importing import when_there

# what configurations call their sizes, most of them also under these names
SIZES = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 32, "vocab_size": 128, "d_ff": 32, "d_kv": 8, "ffn_dim": 32, "word_embed_proj_dim": 16,
    "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_layers": 2, "decoder_layers": 2, "projection_dim": 16,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "embedding_size": 16, "pad_token_id": 0,
    "bos_token_id": 2, "eos_token_id": 1,
}  # fmt: skip
# and the parameters of what diffusers builds
PARAMETERS = {
    "layers_per_block": 1, "cross_attention_dim": 16, "attention_head_dim": 8, "num_attention_heads": 2,
    "num_layers": 1, "num_single_layers": 1, "joint_attention_dim": 16, "caption_projection_dim": 16,
    "pooled_projection_dim": 16, "caption_channels": 16, "sample_size": 16,
}  # fmt: skip
FEW_WORDS = 64
LAZY = "_class_to_module"  # what the module that loads classes when they are asked for has, once it is in place
PARTS = {"text_encoder": "clip_text_model", "text_encoder_2": "clip_text_model", "image_encoder": "clip_vision_model"}
CHANNELS = "block_out_channels"
USUAL = "llama"  # of a model whose name does not say its architecture
LOADERS = ("load_dataset", "load_from_disk")
JOINERS = ("concatenate_datasets", "interleave_datasets")  # of data sets that may be made up


def install(tell: made_up.Tell) -> None:
    when_there("transformers", LAZY, lambda module: _soften_all(module, tell))
    when_there("diffusers", LAZY, lambda module: _soften_all(module, tell))
    when_there("datasets", "load_dataset", lambda module: _soften_loaders(module, tell))


@functools.cache
def played(name: str) -> Any:
    """The stand-in of a library that is installed."""
    place = os.path.join(PLAYED, name, "__init__.py")
    spec = importlib.util.spec_from_file_location(f"played_{name}", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _soften_loaders(datasets: Any, tell: made_up.Tell) -> None:
    if getattr(datasets, "STANDIN", False):
        return
    for name in LOADERS:
        setattr(datasets, name, _loader(name, getattr(datasets, name), tell))
    for name in JOINERS:
        setattr(datasets, name, _joiner(name, getattr(datasets, name)))


def _loader(name: str, real: Any, tell: made_up.Tell) -> Any:
    def load(*given: Any, **named: Any) -> Any:
        try:
            return real(*given, **named)
        except Exception:
            tell(f"{name}({given[0] if given else ''!r})")
            return getattr(played("datasets"), name)(*given, **named)

    return load


def _joiner(name: str, real: Any) -> Any:
    def join(parts: Any, *given: Any, **named: Any) -> Any:
        made_up = any(isinstance(part, played("datasets").Dataset) for part in parts)
        return (getattr(played("datasets"), name) if made_up else real)(parts, *given, **named)

    return join


def _soften_all(library: ModuleType, tell: made_up.Tell) -> None:
    """Classes are loaded when they are first asked for, and softened then."""
    if getattr(library, "STANDIN", False):
        return
    lazy: Any = type(library)
    real, done = lazy.__getattr__, set[type]()

    def softened(value: Any) -> Any:
        for owner in value.__mro__ if isinstance(value, type) else ():
            if "from_pretrained" in vars(owner) and owner not in done:
                done.add(owner)
                _soften(owner, tell)
        return value

    lazy.__getattr__ = lambda module, name: softened(real(module, name))
    for name, module in list(sys.modules.items()):  # and those that the import itself asked for
        if name.partition(".")[0] == library.__name__:
            for value in list(vars(module).values()):
                softened(value)


def _soften(owner: Any, tell: made_up.Tell) -> None:
    real = vars(owner)["from_pretrained"]
    if not isinstance(real, classmethod):
        return

    def from_pretrained(kind: Any, *given: Any, **named: Any) -> Any:
        name = str(given[0]) if given else ""
        try:
            found = real.__func__(kind, *given, **named)
            if not _hollow(kind, found, name):
                return found
        except Exception:
            if (found := _small(kind, name, named)) is None:
                raise
            tell(f"{name} ({kind.__name__})")
            return found
        tell(f"{name} ({kind.__name__})")
        return played("transformers").Tokenizer()

    owner.from_pretrained = classmethod(from_pretrained)


def _hollow(kind: Any, found: Any, name: str) -> bool:
    """A tokenizer that was made without the words it should have."""
    return "Tokenizer" in kind.__name__ and len(found) < FEW_WORDS and not os.path.exists(name)


def _small(kind: Any, name: str, named: dict[str, Any]) -> Any:
    if kind.__module__.startswith("diffusers."):
        return _small_part(kind, named)
    import transformers  # type: ignore[import-not-found]

    if kind.__name__ == "AutoConfig" or issubclass(kind, transformers.PretrainedConfig):
        return _configuration(kind, name, named)
    if issubclass(kind, torch.nn.Module) or hasattr(kind, "from_config"):
        maker = kind.from_config if hasattr(kind, "from_config") else kind
        wanted = kind.config_class if getattr(kind, "config_class", None) else transformers.AutoConfig
        model = maker(named.get("config") or _configuration(wanted, name, named))
        dtype = named.get("dtype", named.get("torch_dtype"))
        return model.to(dtype) if isinstance(dtype, torch.dtype) else model
    if any(word in kind.__name__ for word in ("Tokenizer", "Processor", "FeatureExtractor")):
        return played("transformers").Tokenizer()
    return None


def _small_part(kind: Any, named: dict[str, Any]) -> Any:
    """Of a model of diffusers the first and the last block; a scheduler has no size; a pipeline does nothing."""
    if not issubclass(kind, torch.nn.Module):
        return kind() if hasattr(kind, "set_timesteps") else Nothing(kind.__name__, Calls())
    usual = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
    given: dict[str, Any] = {name: size for name, size in PARAMETERS.items() if isinstance(usual.get(name), int)}
    blocks = usual.get(CHANNELS)
    if "latent_channels" in usual and isinstance(blocks, tuple):  # eight pixels become one, as in the large ones
        given |= {name: value * 4 for name, value in usual.items() if isinstance(value, tuple) and len(value) == 1}
        given[CHANNELS] = (32, 32, 32, 32)
    if isinstance(blocks, tuple) and len(blocks) > 2:
        same = {name: value for name, value in usual.items() if isinstance(value, tuple) and len(value) == len(blocks)}
        given |= {name: (value[0], value[-1]) for name, value in same.items()} | {CHANNELS: (32, 64)}
    dtype = named.get("torch_dtype")
    model = kind(**given)
    return model.to(dtype) if isinstance(dtype, torch.dtype) else model


def _configuration(kind: Any, name: str, named: dict[str, Any]) -> Any:
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES  # type: ignore[import-not-found]

    if not getattr(kind, "model_type", ""):
        name = PARTS.get(str(named.get("subfolder")), name)
        plain = name.lower().replace("-", "").replace("_", "").replace(".", "")
        known = [one for one in CONFIG_MAPPING if one.replace("_", "").replace("-", "") in plain]
        kind = CONFIG_MAPPING[max(known, key=len, default=USUAL)]
    found = _shrunk(kind())
    found.architectures = [MODEL_MAPPING_NAMES.get(found.model_type)]
    for option, value in named.items():
        if hasattr(found, option):
            setattr(found, option, value)
    return (found, {}) if named.get("return_unused_kwargs") else found


def _shrunk(configuration: Any) -> Any:
    for size, value in SIZES.items():
        if hasattr(configuration, size):
            setattr(configuration, size, value)
    for part in list(vars(configuration).values()):
        if hasattr(part, "model_type") and part is not configuration:
            _shrunk(part)
    return configuration
