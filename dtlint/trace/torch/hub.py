"""What does `from_pretrained` or `load_dataset` give where the hub cannot be reached? A small one of the same kind.

A model is of its own architecture with small sizes and random weights; a tokenizer is the one that stands in for
transformers, a data set the one that stands in for datasets.
"""

from __future__ import annotations

import importlib.util
import os
from types import ModuleType
from typing import Any

import torch

from dtlint.trace import made_up
from dtlint.trace.absent import PLAYED
from dtlint.trace.importing import when_there

# what configurations call their sizes, most of them also under these names
SIZES = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 32, "vocab_size": 128, "d_ff": 32, "d_kv": 8, "ffn_dim": 32, "word_embed_proj_dim": 16,
    "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_layers": 2, "decoder_layers": 2, "projection_dim": 16,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "embedding_size": 16, "pad_token_id": 0,
    "bos_token_id": 2, "eos_token_id": 1,
}  # fmt: skip
USUAL = "llama"  # of a model whose name does not say its architecture
LOADERS = ("load_dataset", "load_from_disk")


def install(tell: made_up.Tell) -> None:
    when_there("transformers", "AutoConfig", lambda module: _soften_all(module, tell))
    when_there("datasets", "load_dataset", lambda module: _soften_loaders(module, tell))


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


def _loader(name: str, real: Any, tell: made_up.Tell) -> Any:
    def load(*given: Any, **named: Any) -> Any:
        try:
            return real(*given, **named)
        except Exception:
            tell(f"{name}({given[0] if given else ''!r})")
            return getattr(played("datasets"), name)(*given, **named)

    return load


def _soften_all(transformers: ModuleType, tell: made_up.Tell) -> None:
    """Classes are loaded when they are first asked for, and softened then."""
    if getattr(transformers, "STANDIN", False):
        return
    lazy: Any = type(transformers)
    real, done = lazy.__getattr__, set[type]()

    def attribute(module: Any, name: str) -> Any:
        value = real(module, name)
        if isinstance(value, type):
            for owner in value.__mro__:
                if "from_pretrained" in vars(owner) and owner not in done:
                    done.add(owner)
                    _soften(owner, tell)
        return value

    lazy.__getattr__ = attribute


def _soften(owner: Any, tell: made_up.Tell) -> None:
    real = vars(owner)["from_pretrained"]
    if not isinstance(real, classmethod):
        return

    def from_pretrained(kind: Any, *given: Any, **named: Any) -> Any:
        try:
            return real.__func__(kind, *given, **named)
        except Exception:
            small = _small(kind, str(given[0]) if given else "", named)
            if small is None:
                raise
            tell(f"{given[0] if given else ''} ({kind.__name__})")
            return small

    owner.from_pretrained = classmethod(from_pretrained)


def _small(kind: Any, name: str, named: dict[str, Any]) -> Any:
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


def _configuration(kind: Any, name: str, named: dict[str, Any]) -> Any:
    from transformers import CONFIG_MAPPING

    if not getattr(kind, "model_type", ""):
        plain = name.lower().replace("-", "").replace("_", "").replace(".", "")
        known = [one for one in CONFIG_MAPPING if one.replace("_", "").replace("-", "") in plain]
        kind = CONFIG_MAPPING[max(known, key=len, default=USUAL)]
    found = _shrunk(kind())
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
