"""Drives a virtual iPhone with facebook-wda, which knows WDA of 5.

Usage: iphone_facebook_wda.py ADDRESS, that of WDA (http://…) on a phone that was just started. Prints which operations were right.
"""

import sys

import wda

from judging import PATIENCE, Judge

wda.HTTP_TIMEOUT = PATIENCE
judge = Judge(sys.argv[1])
check, counted = judge.check, judge.counted
client = wda.Client(sys.argv[1])


def after(act, so):
    """Whether something is so after something was done."""
    act()
    return so()


def in_front():
    return client.app_current()["bundleId"]


def state(app):
    return client.app_state(app)["value"]


check("status", lambda: client.status()["state"] == "success")
check("home at first", lambda: after(client.home, in_front) == "com.apple.springboard")
session = client.session("com.uixt.shop")
check("session", lambda: bool(session.session_id))
check("app_current", lambda: in_front() == "com.uixt.shop")
check("window size", lambda: tuple(session.window_size()) == (390, 844))
check("scale", lambda: session.scale == 3)
check("source xml", lambda: "XCUIElementTypeTextField" in client.source())
check("source json", lambda: client.source(format="json")["type"] == "Application")
check("accessible source", lambda: client.source(accessible=True)["type"] == "Application")
check("screenshot", lambda: client.screenshot().size == (1170, 2532))
check("find by id", lambda: session(id="user").exists)
check("find by label", lambda: session(label="Sign in").exists)
check("find by class chain", lambda: session(classChain="**/XCUIElementTypeButton[`label == 'Sign in'`]").exists)
check("find by predicate", lambda: session(predicate="label BEGINSWITH 'Sign'").exists)
check("find by xpath", lambda: session(xpath="//XCUIElementTypeButton[@label='Sign in']").exists)
check("find by class", lambda: session(className="SecureTextField").exists)
check("find nothing", lambda: not session(id="nowhere").exists)
check("set text", lambda: counted("keys", lambda: session(id="user").set_text("bob")) == 3)
check("read text", lambda: session(id="user").text == "bob")
check("keyboard", lambda: session(className="Keyboard").exists)
check("clear", lambda: after(session(id="user").clear_text, lambda: session(id="user").value == "User name"))
check("tap", lambda: counted("touches", lambda: session(id="user").tap()) == 1)
check("keys", lambda: after(lambda: session.send_keys("alice"), lambda: session(id="user").text == "alice"))
check("password", lambda: after(lambda: session(id="password").set_text("secret123"), lambda: session(id="password").value == "•" * 9))
check("click", lambda: counted("touches", lambda: session(label="Sign in", className="Button").click()) == 1)
check("waited for", lambda: session(label="Welcome, alice", visible=True).wait(timeout=PATIENCE).visible)
check("bounds", lambda: session(id="message").bounds.width > 100)
check("displayed", lambda: session(predicate="name == 'message' AND visible == 1").displayed)
check("enabled", lambda: session(id="message").enabled)


def moves(act):
    before = client.source()
    return counted("touches", act) == 1 and client.source() != before


check("swipe up", lambda: moves(session.swipe_up))
check("swipe", lambda: moves(lambda: session.swipe(200, 300, 200, 600, duration=0.2)))
check("scroll to", lambda: after(lambda: session(id="log_out", className="Button").scroll(), lambda: session(id="log_out", className="Button").displayed))
check("tap a point", lambda: counted("touches", lambda: client.tap(20, 20)) == 1)
check("double tap", lambda: counted("touches", lambda: client.double_tap(20, 20)) == 2)
check("tap and hold", lambda: counted("touches", lambda: client.tap_hold(20, 20, 0.5)) == 1)
check("no alert", lambda: client.alert.exists is False)
check("app state", lambda: state("com.uixt.shop") == 4)
check("launch", lambda: after(lambda: client.app_launch("com.uixt.settings"), in_front) == "com.uixt.settings")
check("state behind", lambda: state("com.uixt.shop") == 3)
check("terminate", lambda: after(lambda: client.app_stop("com.uixt.shop"), lambda: state("com.uixt.shop") == 1))
check("app list", lambda: client.app_list()[0]["bundleId"] == "com.uixt.settings")
check("press volume", lambda: counted("presses", lambda: client.press("volumeUp")) == 1)
check("home", lambda: after(client.home, in_front) == "com.apple.springboard")
check("battery", lambda: client.battery_info()["level"] == 1)
check("device info", lambda: client.device_info()["model"] == "iPhone")
check("lock", lambda: after(client.lock, client.locked))
check("unlock", lambda: after(client.unlock, lambda: not client.locked()))
check("clipboard", lambda: after(lambda: client.set_clipboard("小明"), lambda: client.get_clipboard() in ("小明", "小明".encode())))
check("landscape", lambda: after(lambda: setattr(session, "orientation", "LANDSCAPE"), lambda: tuple(session.window_size()) == (844, 390)))
check("landscape pixels", lambda: client.screenshot().size == (2532, 1170))
check("portrait", lambda: after(lambda: setattr(session, "orientation", "PORTRAIT"), lambda: session.orientation == "PORTRAIT"))
check("settings", lambda: client.appium_settings({"snapshotMaxDepth": 30})["snapshotMaxDepth"] == 30)
check("open url", lambda: after(lambda: session.open_url("uixt-shop://product/desk_lamp"), in_front) == "com.uixt.shop")
check("deactivate", lambda: after(lambda: session.deactivate(0.1), in_front) == "com.uixt.shop")
# It ends a session at an address with a slash behind it, which WDA has refused since 16.7.
if client.status()["build"]["version"].startswith("5"):
    check("close", lambda: after(session.close, lambda: client.status().get("sessionId")) != session.session_id)
judge.tell()
