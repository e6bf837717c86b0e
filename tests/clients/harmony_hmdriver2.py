"""Drives a virtual Harmony phone with hmdriver2: its commands by `hdc` on the PATH, its Driver by the agent, over a port that leads there.

Usage: harmony_hmdriver2.py HOST:PORT of a phone that was just started. Prints which operations were right.
"""

import logging
import os
import sys
import tempfile
import types

from harmony import Phone
from judging import Judge

address = sys.argv[1]
os.environ["HDC_SERVER_HOST"], os.environ["HDC_SERVER_PORT"] = address.rsplit(":", 1)
os.environ["PATH"] = os.path.dirname(os.path.abspath(__file__)) + os.pathsep + os.environ["PATH"]

import hmdriver2.utils  # noqa: E402

# It sleeps after each gesture.
hmdriver2.utils.time = types.SimpleNamespace(sleep=lambda seconds: None, time=__import__("time").time)
logging.disable(logging.CRITICAL)

from hmdriver2.driver import Driver  # noqa: E402
from hmdriver2.proto import DisplayRotation, KeyCode  # noqa: E402

phone, judge = Phone(address), Judge()
check, counted = judge.check, phone.counted
SHOP = "com.uixt.shop"
driver = Driver("uixt-harmony")


def after(act, so):
    """Whether something is so after something was done."""
    act()
    return so()


check("connected", lambda: "uitest start-daemon singleness" in phone.shell("ps -ef"))
check("list apps", lambda: SHOP in driver.list_apps())
check("has app", lambda: driver.has_app(SHOP) and not driver.has_app("com.not.there"))
check("app version", lambda: driver.app_version(SHOP) == {"version_name": "1.0.0", "version_code": 1})
check("main ability", lambda: driver.get_app_main_ability(SHOP)["name"] == "EntryAbility")
check("start app", lambda: after(lambda: driver.start_app(SHOP), lambda: phone.shows("Sign in")))
check("current app", lambda: driver.current_app() == (SHOP, "EntryAbility"))
check("device info", lambda: driver.device_info.model == "uixt-harmony" and driver.device_info.displaySize == (1260, 2720))
check("display size by hidumper", lambda: driver.hdc.display_size() == (1260, 2720))
check("screen state", lambda: driver.hdc.screen_state() == "AWAKE")
check("dump", lambda: driver.dump_hierarchy()["children"][0]["attributes"]["bundleName"] == SHOP)
check("click", lambda: after(lambda: driver.click(*phone.middle(id="user")), lambda: phone.node(id="user")["focused"] == "true"))
check("input text", lambda: after(lambda: driver.input_text("登录 \"a\" 'b' $c 😀"), lambda: phone.node(id="user")["text"] == "登录 \"a\" 'b' $c 😀"))
check("key", lambda: after(lambda: driver.press_key(KeyCode.DEL), lambda: phone.node(id="user")["text"].endswith("$c ")))
check("find by text", lambda: driver(text="Sign in").count >= 1)
check("find by id", lambda: driver(id="password").info.type == "TextInput")
check("find nothing", lambda: not driver(text="not there").exists(retries=1, wait_time=0))
check("clear and type", lambda: after(lambda: driver(id="user").input_text("alice"), lambda: phone.node(id="user")["text"] == "alice"))
check("xpath", lambda: driver.xpath("//*[@id='password']").exists())
check("type by xpath", lambda: after(lambda: driver.xpath("//*[@id='password']").input_text("secret123"), lambda: phone.node(id="password")["text"] == "•" * 9))
check("go back", lambda: after(driver.go_back, lambda: phone.node(bundleName="com.example.kikakeyboard") is None))
check("click an element", lambda: after(lambda: driver(text="Sign in", type="Button").click(), lambda: phone.shows("Welcome, alice")))
check("swipe", lambda: counted("touches", lambda: driver.swipe(0.5, 0.7, 0.5, 0.3)) == 1)
check("swipe ext", lambda: counted("touches", lambda: driver.swipe_ext("down")) == 1)
check("long click", lambda: counted("touches", lambda: driver.long_click(0.5, 0.5)) == 1)
check("go home", lambda: after(driver.go_home, lambda: driver.current_app()[0] == "com.ohos.sceneboard"))
check("stop app", lambda: after(lambda: driver.stop_app(SHOP), lambda: SHOP not in phone.shell("aa dump -l")))
check("clear app", lambda: counted("clears", lambda: driver.clear_app(SHOP)) == 1)
check("open url", lambda: after(lambda: driver.open_url("uixt-shop://product/tea"), lambda: driver.current_app()[0] == SHOP))
check("rotation", lambda: after(lambda: driver.set_display_rotation(DisplayRotation.ROTATION_90), lambda: phone.nodes()[0]["bounds"] == "[0,0][2720,1260]"))
check("rotation back", lambda: after(lambda: driver.set_display_rotation(DisplayRotation.ROTATION_0), lambda: phone.nodes()[0]["bounds"] == "[0,0][1260,2720]"))
folder = tempfile.mkdtemp()
near, back = os.path.join(folder, "near.txt"), os.path.join(folder, "back.txt")
with open(near, "w") as file:
    file.write("登录\n" * 10)
check("push", lambda: after(lambda: driver.push_file(near, "/data/local/tmp/pushed.txt"), lambda: phone.shell("cat /data/local/tmp/pushed.txt") == "登录\n" * 10))
check("pull", lambda: after(lambda: driver.pull_file("/data/local/tmp/pushed.txt", back), lambda: open(back).read() == "登录\n" * 10))


def pictured(method, head):
    path = driver.screenshot(os.path.join(folder, method), method=method)
    with open(path, "rb") as file:
        return file.read(len(head)) == head


check("screenshot", lambda: pictured("snapshot_display", b"\xff\xd8"))
check("screen capture", lambda: pictured("screenCap", b"\x89PNG"))
check("touch lab", lambda: after(lambda: driver.start_app("com.uixt.touchlab"), lambda: phone.node(bundleName="com.uixt.touchlab") is not None))
check("gesture", lambda: counted("touches", lambda: driver.gesture.start(0.3, 0.4, interval=0.5).move(0.7, 0.5).pause(interval=1).action()) == 1)
check("screen off", lambda: after(driver.screen_off, lambda: driver.hdc.screen_state() == "INACTIVE"))
check("unlock", lambda: after(driver.unlock, lambda: phone.node(bundleName="com.uixt.touchlab") is not None))
check("release", lambda: after(driver._client.release, lambda: phone.ask("fport ls") == "[Empty]\r\n"))
judge.tell()
