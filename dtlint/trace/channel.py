"""How do a rank and its coordinator talk? One JSON header and raw bytes, over a socket pair."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

PREFIX = struct.Struct("!IQ")
LARGEST_HEADER = 16 * 1024 * 1024


class Closed(Exception):
    """The other end is gone."""


class Channel:
    """One end of the connection."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def fileno(self) -> int:
        return self.end.fileno()

    def send(self, header: dict[str, Any], payload: bytes | bytearray = b"") -> None:
        text = json.dumps(header).encode()
        try:
            self.end.sendall(PREFIX.pack(len(text), len(payload)) + text)
            if payload:
                self.end.sendall(payload)
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self) -> tuple[dict[str, Any], bytearray]:
        header_size, payload_size = PREFIX.unpack(self._read(PREFIX.size))
        if header_size > LARGEST_HEADER:
            raise Closed("not a message of dtlint")
        header = json.loads(self._read(header_size).decode("utf-8", "replace"))
        return header, self._read(payload_size)

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        view, position = memoryview(data), 0
        while position < size:
            try:
                count = self.end.recv_into(view[position:])
            except OSError as error:
                raise Closed(str(error)) from error
            if not count:
                raise Closed("end of stream")
            position += count
        return data

    def close(self) -> None:
        self.end.close()


def pair() -> tuple[Channel, Channel]:
    first, second = socket.socketpair()
    for end in (first, second):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return Channel(first), Channel(second)
