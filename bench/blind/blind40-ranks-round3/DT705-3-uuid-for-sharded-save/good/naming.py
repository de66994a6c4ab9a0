import uuid


def run_name(prefix):
    return f"{prefix}-{uuid.uuid4().hex[:8]}"
