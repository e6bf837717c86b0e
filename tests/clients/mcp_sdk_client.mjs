// Talks to `uixt mcp-server` with the TypeScript SDK of the Model Context Protocol.
//
// Usage: node mcp_sdk_client.mjs FOLDER UIXT|URL. FOLDER is where npm installed the SDK; the server is started on its standard input
// and output, or reached over HTTP. Prints what it saw as one JSON object.

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, server] = process.argv.slice(2);
const sdk = (name) => createRequire(join(folder, "x.js"))(`@modelcontextprotocol/sdk/${name}`);
const { Client } = sdk("client/index.js");
const { StdioClientTransport } = sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = sdk("client/streamableHttp.js");

const text = (result) => result.content.find((item) => item.type === "text").text;
const isHttp = server.startsWith("http://");
const transport = isHttp
  ? new StreamableHTTPClientTransport(new URL(server))
  : new StdioClientTransport({ command: server, args: ["mcp-server", "--device", "phone"] });

const seen = {};
const client = new Client({ name: "test", version: "0" });
await client.connect(transport);
const call = (name, args = {}) => client.callTool({ name, arguments: args });
seen.server = client.getServerVersion().name;
const { tools } = await client.listTools();
seen.tools = tools.map((tool) => tool.name);
seen.undescribed = tools.filter((tool) => !tool.description).map((tool) => tool.name);

await call("uixt__home");
seen.snapshot = text(await call("uixt__snapshot"));
const tapped = await call("uixt__tap_element", { text: "Settings" });
seen.tapped = [tapped.isError, JSON.parse(text(tapped)).success];
seen.opened = (await call("uixt__assert_visible", { role: "heading", text: "Settings" })).structuredContent.success;

const image = (await call("uixt__screenshot")).content.find((item) => item.type === "image");
seen.image = [image.mimeType, Buffer.from(image.data, "base64").subarray(0, 8).toString("hex")];

const refused = await call("uixt__tap_xy", { x: 0.5, yy: 0.5 });
seen.refused = [refused.isError, JSON.parse(text(refused)).kind];

const lines = Array.from({ length: 20 }, (_, number) => `line ${number}`);
const answers = await Promise.all(lines.map((message) => call("uixt__log", { message })));
seen.own_answers = answers.every((answer, number) => JSON.parse(text(answer)).message === lines[number]);

if (isHttp) await transport.terminateSession();
await client.close();
console.log(JSON.stringify(seen));
