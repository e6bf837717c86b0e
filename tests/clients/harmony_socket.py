"""An hdc server, spoken to by its socket: one command a connection. Imports little: `hdc` is run again and again."""

import socket
import struct

PATIENCE = 60


def read(stream, size):
    parts = []
    while size:
        part = stream.recv(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def messages(address, key, command):
    """Sends a command, and gives the messages of its answer."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), PATIENCE) as stream:
        greeting = read(stream, struct.unpack(">I", read(stream, 4))[0])
        assert greeting.startswith(b"OHOS HDC"), greeting
        answer = greeting[:12] + key.encode().ljust(32, b"\0") + greeting[44:]
        for message in (answer, command.encode() + b"\0"):
            stream.sendall(struct.pack(">I", len(message)) + message)
        while length := read(stream, 4):
            message = read(stream, struct.unpack(">I", length)[0])
            if message is None:
                return
            yield message
