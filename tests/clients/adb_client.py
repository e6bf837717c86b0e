"""Tries the virtual phone with adbutils, which speaks the adb server's protocol by itself.

Usage: adb_client.py PORT. Prints what it saw as one JSON object.
"""

import json
import re
import sys

import adbutils

client = adbutils.AdbClient(host="127.0.0.1", port=int(sys.argv[1]))
(device,) = client.device_list()
seen = {
    "serial": device.serial,
    "window_size": list(device.window_size()),
    "packages": device.list_packages(),
    "model": device.prop.model,
    # Both of the shell protocols that Android has.
    "exit_codes": [device.shell2("(exit 7)").returncode, device.shell2("exit 7", v2=True).returncode],
}

device.app_start("com.uixt.shop")
seen["app_current"] = device.app_current().package

# The first text field of the page in front, as an application that drives a phone would find it.
xml = device.dump_hierarchy()
fields = re.findall(r'class="android.widget.EditText"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', xml)
left, top, right, bottom = map(int, fields[0])
device.click((left + right) // 2, (top + bottom) // 2)
device.send_keys("hello")
seen["typed"] = 'text="hello"' in device.dump_hierarchy()

picture = device.screenshot()
seen["screenshot"] = list(picture.size)
seen["colours"] = len(set(picture.convert("RGB").resize((108, 240)).getdata()))
# By the number of a display, which adbutils looks up in what SurfaceFlinger says.
display = device.screenshot(display_id=0, error_ok=False)
seen["display"] = list(display.size)
print(json.dumps(seen))
