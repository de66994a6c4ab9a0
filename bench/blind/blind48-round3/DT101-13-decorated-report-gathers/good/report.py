import json
from pathlib import Path

from dist_utils import rank_zero_only


@rank_zero_only
def write_predictions(path, rows):
    rows.sort(key=lambda row: row["index"])
    Path(path).write_text(json.dumps(rows))
