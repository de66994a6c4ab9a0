"""A server without a framework: what a hostile job would leave behind if it could."""

import json
import os
import sys
import tempfile
import time

from dtlint.trace import sandbox

events = int(sys.argv[1])
notices = sandbox.enter(sandbox.Limits())


def say(record):
    os.write(events, (json.dumps(record) + "\n").encode())


def stay(token):
    with open(os.path.join(tempfile.gettempdir(), f"left-{token}"), "w") as file:
        file.write("x")
    while True:
        time.sleep(60)


say({"type": "ready", "framework": "stub", "notices": notices})
for line in sys.stdin.buffer:
    job = json.loads(line)
    token = job["arguments"][0]
    for depth in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:  # its parent leaves: an orphan in a session of its own
                os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", token])
            if depth:
                os._exit(0)
            stay(token)
    say({"type": "notice", "text": "started"})
    if len(job["arguments"]) > 1:
        say({"type": "outcome", "kind": "agreed", "sentence": "done"})
        say({"type": "job", "wall": 0.1})
    else:
        stay(token)
