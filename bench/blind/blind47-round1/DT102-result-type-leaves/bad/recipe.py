import json
from pathlib import Path

from result import Err, Ok, Result


def read_recipe(path: Path) -> Result[dict]:
    try:
        recipe = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError) as problem:
        return Err(f"{path}: {problem}")
    missing = {"lr", "epochs"} - recipe.keys()
    if missing:
        return Err(f"{path}: no {', '.join(sorted(missing))}")
    return Ok(recipe)
