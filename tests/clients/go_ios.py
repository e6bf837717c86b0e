#!/usr/bin/env python3
"""Stands in for go-ios where mobile-mcp asks it for what the virtual iPhone has no such services for: its facts, and the start of apps.

The phone's WDA is at port 8100.
"""

import json
import sys
import urllib.request

UDID = "00008110-000E0000000E001E"


def post(path, body):
    request = urllib.request.Request(f"http://127.0.0.1:8100{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def in_session(path, bundle):
    session = post("/session", {"capabilities": {}})["sessionId"]
    post(f"/session/{session}{path}", {"bundleId": bundle})


match [word for word in sys.argv[1:] if word not in ("--udid", UDID)]:
    case ["version"]:
        print(json.dumps({"version": "v1.2.0"}))
    case ["list"]:
        print(json.dumps({"deviceList": [UDID]}))
    case ["info"]:
        print(json.dumps({"DeviceName": "uixt iPhone", "ProductVersion": "18.5"}))
    case ["launch", bundle]:
        in_session("/wda/apps/launch", bundle)
    case ["kill", bundle]:
        in_session("/wda/apps/terminate", bundle)
    case other:
        sys.exit(f"go-ios is not asked that here: {other}")
