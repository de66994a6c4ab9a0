import queue
import socket
import threading


class ControlPort:
    """Accepts one-word commands on a unix socket while training runs."""

    def __init__(self, path):
        self._commands = queue.Queue()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._server.bind(path)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            self._commands.put(self._server.recv(64).decode().strip())

    def poll(self):
        try:
            return self._commands.get_nowait()
        except queue.Empty:
            return None
