"""Talks to `uixt mcp-server` with the Python SDK of the Model Context Protocol.

Usage: mcp_client.py UIXT|URL: starts the server on its standard input and output, or reaches one over HTTP. Prints what it saw as one JSON object.
"""

import asyncio
import base64
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def text(result):
    return next(item.text for item in result.content if item.type == "text")


def streams(server):
    if server.startswith("http://"):
        return streamable_http_client(server)
    return stdio_client(StdioServerParameters(command=server, args=["mcp-server", "--device", "phone"]))


async def main(server):
    seen = {}
    async with streams(server) as (reader, writer, *_), ClientSession(reader, writer) as session:
        seen["server"] = (await session.initialize()).server_info.name
        listed = (await session.list_tools()).tools
        seen["tools"] = [tool.name for tool in listed]
        seen["undescribed"] = [tool.name for tool in listed if not tool.description]

        await session.call_tool("uixt__home", {})
        seen["snapshot"] = text(await session.call_tool("uixt__snapshot", {}))
        tapped = await session.call_tool("uixt__tap_element", {"text": "Settings"})
        seen["tapped"] = [tapped.is_error, json.loads(text(tapped))["success"]]
        visible = {"role": "heading", "text": "Settings"}
        seen["opened"] = json.loads(text(await session.call_tool("uixt__assert_visible", visible)))["success"]

        shot = await session.call_tool("uixt__screenshot", {})
        (image,) = [item for item in shot.content if item.type == "image"]
        seen["image"] = [image.mime_type, base64.b64decode(image.data)[:8].hex()]

        refused = await session.call_tool("uixt__tap_xy", {"x": 0.5, "yy": 0.5})
        seen["refused"] = [refused.is_error, json.loads(text(refused))["kind"]]

        # Two calls at once: each is answered with its own result.
        lines = [f"line {number}" for number in range(20)]
        answers = await asyncio.gather(*(session.call_tool("uixt__log", {"message": line}) for line in lines))
        seen["own_answers"] = [json.loads(text(answer))["message"] for answer in answers] == lines
    print(json.dumps(seen))


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 100))
