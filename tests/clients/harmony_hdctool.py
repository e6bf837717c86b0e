"""Drives a virtual Harmony phone with hdctool, by the socket of its hdc server, and by its UiDriver through the agent.

Usage: harmony_hdctool.py HOST:PORT of a phone that was just started. Prints which operations were right.
"""

import os
import sys
import tempfile
import time

from hdctool import Client
from hdctool.ui import driver as ui

from harmony import Phone
from judging import Judge, until

address = sys.argv[1]
host, port = address.rsplit(":", 1)
os.environ["HDC_SERVER"] = address
os.environ["OHOS_HDC_SERVER_PORT"] = port
hdc = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hdc")
phone, judge = Phone(address), Judge()
check, counted = judge.check, phone.counted
client = Client(host, int(port), hdc)


def said(line):
    connection = target.shell(line)
    text = connection.read_all().decode()
    connection.end()
    return text


check("list targets", lambda: client.list_targets() == ["uixt-harmony"])
target = client.get_target("uixt-harmony")
check("shell", lambda: said("echo 登录; nope").startswith("登录\n"))
check("parameters", lambda: target.get_parameters()["const.product.brand"] == "uixt")
check("start", lambda: "successfully" in said("aa start -a EntryAbility -b com.uixt.shop") and phone.shows("Sign in"))
check("no forwards", lambda: client.list_forwards() == [])


def free_port():
    return ui._sync_free_port()


forwarded = free_port()
check("forward", lambda: target.forward(f"tcp:{forwarded}", "tcp:8012") is None)
check("forwards", lambda: [one["local"] for one in target.list_forwards()] == [f"tcp:{forwarded}"])
check("remove a forward", lambda: target.remove_forward(f"tcp:{forwarded}", "tcp:8012") is None and target.list_forwards() == [])
folder = tempfile.mkdtemp()
near, back = os.path.join(folder, "a b.txt"), os.path.join(folder, "back.txt")
with open(near, "w") as file:
    file.write("登录\n" * 20000)
check("send a file", lambda: target.send_file(near, "/data/local/tmp/sent.txt") is None and phone.shell("wc -c /data/local/tmp/sent.txt").startswith("140000"))
check("receive a file", lambda: target.recv_file("/data/local/tmp/sent.txt", back) is None and open(back).read() == open(near).read())


def pictured():
    path = os.path.join(folder, "screen.jpeg")
    target.screenshot_to_local(path)
    with open(path, "rb") as file:
        return file.read(2) == b"\xff\xd8"


check("screenshot", pictured)
ui.time.sleep, sleep = (lambda seconds: sleep(min(seconds, 0.02))), time.sleep
driver = target.create_ui_driver()
check("start the agent", lambda: driver.start() is None and "uitest start-daemon singleness" in phone.shell("ps -ef"))
check("display size", lambda: driver.get_display_size() == {"width": 1260, "height": 2720})
check("layout", lambda: driver.capture_layout()["children"][0]["attributes"]["bundleName"] == "com.uixt.shop")
x, y = phone.middle(type="TextInput", id="user")
check("click", lambda: counted("touches", lambda: driver.call_driver("click", [x, y])) == 1 and phone.node(id="user")["focused"] == "true")
check("input text", lambda: driver.call_driver("inputText", [{"x": x, "y": y}, "登录 it's \"q\""]) is None and phone.node(id="user")["text"] == "登录 it's \"q\"")


def touched():
    driver.touch_down(x, y)
    driver.touch_up(x, y)


check("touch down and up", lambda: counted("touches", touched) == 1)
frames = []
check("pictures", lambda: driver.start_capture_screen(frames.append) is None and until(lambda: frames) and bytes(frames[0][:2]) == b"\xff\xd8")
check("no pictures any more", lambda: driver.stop_capture_screen() is None)
check("back", lambda: counted("keys", lambda: driver.call_driver("pressBack")) == 1)
check("stop the agent", lambda: driver.stop() is None and "singleness" not in phone.shell("ps -ef"))
judge.tell()
