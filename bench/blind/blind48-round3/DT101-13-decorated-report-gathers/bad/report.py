import json
from pathlib import Path

from dist_utils import collect, rank_zero_only


@rank_zero_only
def write_predictions(path, predictions):
    rows = collect(predictions)
    rows.sort(key=lambda row: row["index"])
    Path(path).write_text(json.dumps(rows))
