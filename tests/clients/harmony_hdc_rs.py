"""Drives a virtual Harmony phone with hdc-rs, by the socket of its hdc server.

Usage: harmony_hdc_rs.py HOST:PORT of a phone that was just started. Prints which operations were right.
"""

import os
import sys
import tempfile

from hdc_rs_py import HdcClient

from harmony import Phone
from judging import Judge

address = sys.argv[1]
phone, judge = Phone(address), Judge()
check = judge.check


def client():
    made = HdcClient(address)
    return made


check("list targets", lambda: client().list_targets() == ["uixt-harmony"])
check("list targets verbose", lambda: "Connected" in str(client().list_targets_verbose()))
check("check server", lambda: "3.2.0" in str(client().check_server()))


def connected():
    made = client()
    made.connect_device("uixt-harmony")
    return made


check("connect", lambda: connected() is not None)
check("shell", lambda: connected().shell("echo a b").strip() == "a b")
check("start", lambda: "successfully" in connected().shell("aa start -a EntryAbility -b com.uixt.shop") and phone.shows("Sign in"))
check("tap", lambda: "No Error" in connected().shell("uitest uiInput click {} {}".format(*phone.middle(id="user"))) and phone.node(id="user")["focused"] == "true")
check("text", lambda: "No Error" in connected().shell("uitest uiInput text '登录 a'") and phone.node(id="user")["text"] == "登录 a")
check("hilog", lambda: "StartAbility com.uixt.shop" in connected().hilog("-x"))
check("forwards", lambda: isinstance(connected().fport_list(), list))
folder = tempfile.mkdtemp()
near, back = os.path.join(folder, "near.txt"), os.path.join(folder, "back.txt")
with open(near, "w") as file:
    file.write("登录\n" * 30000)
check("send a file", lambda: "finish" in str(connected().file_send(near, "/data/local/tmp/rs.txt")) and phone.shell("wc -c /data/local/tmp/rs.txt").startswith("210000"))
check("receive a file", lambda: "finish" in str(connected().file_recv("/data/local/tmp/rs.txt", back)) and open(back).read() == open(near).read())
check("uninstall nothing", lambda: "missing installed bundle" in str(connected().uninstall("com.not.there")))
judge.tell()
