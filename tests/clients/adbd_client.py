"""Tries the virtual phone's adbd with adb_shell, which speaks the transport protocol by itself.

Usage: adbd_client.py PORT. Prints what it saw as one JSON object.
"""

import io
import json
import os
import sys

from adb_shell.adb_device import AdbDeviceTcp

device = AdbDeviceTcp("127.0.0.1", int(sys.argv[1]), default_transport_timeout_s=10)
assert device.connect()
seen = {"shell": device.shell("echo hello; wm size"), "streamed": list(device.streaming_shell("echo one; echo two"))}

sent = os.urandom(3_000_000)
device.push(io.BytesIO(sent), "/sdcard/Download/from_python")
back = io.BytesIO()
device.pull("/sdcard/Download/from_python", back)
seen["came_back"] = back.getvalue() == sent
seen["stat"] = list(device.stat("/sdcard/Download/from_python"))[:2]
seen["listed"] = sorted(bytes(entry.filename).decode() for entry in device.list("/sdcard/Download"))
seen["picture"] = device.exec_out("screencap -p", decode=False)[1:4].decode()
try:
    device.pull("/sdcard/none", io.BytesIO())
except Exception as error:
    seen["missing"] = type(error).__name__
seen["after"] = device.shell("echo still here")
device.close()
print(json.dumps(seen))
