"""An MCP server of a few lines: keeps notes as long as it runs."""

import json
import sys

NOTES = {}


def add(text):
    note = max(NOTES, default=0) + 1
    NOTES[note] = text
    return {"id": note, "count": len(NOTES)}


def remove(id):
    if id not in NOTES:
        raise ValueError(f"there is no note {id}")
    del NOTES[id]
    return {"count": len(NOTES)}


def read_all():
    return {"notes": list(NOTES.values())}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
TOOLS = {
    "add": (add, "Add a note.", {"text": TEXT}),
    "remove": (remove, "Remove a note.", {"id": NUMBER}),
    "read_all": (read_all, "Read all notes.", {}),
}


def described(name):
    _, description, properties = TOOLS[name]
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}


def called(name, arguments):
    try:
        result = TOOLS[name][0](**arguments)
    except Exception as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}


def answered(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1.0"},
        }
    if method == "tools/list":
        return {"tools": [described(name) for name in TOOLS]}
    if method == "tools/call":
        return called(params["name"], params.get("arguments") or {})
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": answered(message["method"], message.get("params", {}))}
        print(json.dumps(answer), flush=True)
