"""Drives a virtual iPhone with facebook-wda, which knows WDA of 5: python facebook_wda.py http://127.0.0.1:8100"""

import sys
import time

import wda

client = wda.Client(sys.argv[1])
results = []


def check(name, act):
    try:
        outcome = act()
        good = outcome is not False
        results.append(good)
        print("ok  " if good else "BAD ", name, "" if outcome in (None, True) else repr(outcome)[:90], flush=True)
    except Exception as error:  # whatever a client raises is what a judge says
        results.append(False)
        print("BAD ", name, type(error).__name__, str(error)[:300], flush=True)


check("status", lambda: client.status()["state"] == "success")
client.home()
session = client.session("com.uixt.shop")
check("session", lambda: bool(session.session_id))
check("app_current", lambda: client.app_current()["bundleId"] == "com.uixt.shop")
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
check("set text", lambda: session(id="user").set_text("alice"))
check("read text", lambda: session(id="user").text == "alice")
check("keyboard", lambda: session(className="Keyboard").exists)
check("clear", lambda: session(id="user").clear_text())
check("cleared", lambda: session(id="user").value == "User name")
check("tap and keys", lambda: (session(id="user").tap(), session.send_keys("alice"))[0])
check("password", lambda: session(id="password").set_text("secret123"))
check("bullets", lambda: session(id="password").value == "•" * 9)
check("click", lambda: session(label="Sign in", className="Button").click())
check("waited for", lambda: session(label="Welcome, alice", visible=True).wait(timeout=5).visible)
check("bounds", lambda: session(id="message").bounds.width > 100)
check("displayed", lambda: session(predicate="name == 'message' AND visible == 1").displayed)
check("enabled", lambda: session(id="message").enabled)
check("swipe up", lambda: session.swipe_up())
check("swipe", lambda: session.swipe(200, 300, 200, 600, duration=0.2))
check("scroll to", lambda: session(id="log_out", className="Button").scroll())
check("tap point", lambda: client.tap(20, 20))
check("double tap", lambda: client.double_tap(20, 20))
check("tap and hold", lambda: client.tap_hold(20, 20, 0.5))
check("alert none", lambda: client.alert.exists is False)
check("app state", lambda: client.app_state("com.uixt.shop")["value"] == 4)
check("launch", lambda: client.app_launch("com.uixt.settings"))
check("state behind", lambda: client.app_state("com.uixt.shop")["value"] == 3)
check("terminate", lambda: client.app_stop("com.uixt.shop"))
check("state ended", lambda: client.app_state("com.uixt.shop")["value"] == 1)
check("app list", lambda: client.app_list()[0]["bundleId"] == "com.uixt.settings")
check("press volume", lambda: client.press("volumeUp"))
check("home", lambda: client.home())
check("home is in front", lambda: client.app_current()["bundleId"] == "com.apple.springboard")
check("battery", lambda: client.battery_info()["level"] == 1)
check("device info", lambda: client.device_info()["model"] == "iPhone")
check("lock", lambda: (client.lock(), client.locked())[1])
check("unlock", lambda: (client.unlock(), not client.locked())[1])
check("clipboard", lambda: client.set_clipboard("小明"))
check("landscape", lambda: (setattr(session, "orientation", "LANDSCAPE"), tuple(session.window_size()) == (844, 390))[1])
check("landscape pixels", lambda: client.screenshot().size == (2532, 1170))
check("portrait", lambda: (setattr(session, "orientation", "PORTRAIT"), session.orientation == "PORTRAIT")[1])
check("settings", lambda: client.appium_settings({"snapshotMaxDepth": 30})["snapshotMaxDepth"] == 30)
check("deactivate", lambda: session.deactivate(0.1))
check("open url", lambda: session.open_url("uixt-shop://product/desk_lamp"))
# It ends a session at an address with a slash behind it, which WDA has refused since 16.7.
if client.status()["build"]["version"].startswith("5"):
    check("close", lambda: session.close())
print(f"{sum(results)} of {len(results)} operations right")
sys.exit(0 if all(results) else 1)
