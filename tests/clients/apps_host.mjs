// A host of MCP Apps: shows a UI instance of `uixt mcp-server` as a chat would, by npm's own half of the protocol (AppBridge).
//
// Usage: node apps_host.mjs FOLDER UIXT INSTANCE. FOLDER is where npm installed the packages. The server is started on its standard
// input and output. Prints what the server offers and the host's address as one JSON object, and serves until its input ends.
// /context on the same port is what the view told the model last.

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, normalize } from "node:path";

const [folder, program, instance] = process.argv.slice(2);
const modules = join(folder, "node_modules");
const sdk = (name) => createRequire(join(folder, "x.js"))(`@modelcontextprotocol/sdk/${name}`);
const { Client } = sdk("client/index.js");
const { StdioClientTransport } = sdk("client/stdio.js");
const { ResultSchema } = sdk("types.js");

const VIEWS = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
const connect = async (capabilities) => {
  const client = new Client({ name: "host", version: "0" }, { capabilities });
  await client.connect(new StdioClientTransport({ command: program, args: ["mcp-server", "--toolsets", "ui"], env: process.env }));
  return client;
};
const plain = await connect({});
const plainTools = (await plain.listTools()).tools.map((tool) => tool.name);
await plain.close();
const client = await connect({ extensions: VIEWS });
const { tools } = await client.listTools();
const { resources } = await client.listResources();

let context = null;
const text = (response, type, body) => response.writeHead(200, { "content-type": type }).end(body);
const asked = async (request) => {
  let body = "";
  for await (const part of request) {
    body += part;
  }
  return JSON.parse(body);
};

// The view's frame has the policy that a host must set where the resource asks for nothing else.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const HOST = `<!doctype html><title>Chat</title>
<script type="importmap">{"imports": {
  "@modelcontextprotocol/client": "/m/@modelcontextprotocol/client/dist/index.mjs",
  "@modelcontextprotocol/client/_shims": "/m/@modelcontextprotocol/client/dist/shimsBrowser.mjs",
  "@modelcontextprotocol/core": "/m/@modelcontextprotocol/core/dist/index.mjs",
  "@modelcontextprotocol/core/internal": "/m/@modelcontextprotocol/core/dist/internal.mjs",
  "zod/v4": "/m/zod/v4/index.js", "zod": "/m/zod/index.js",
  "pkce-challenge": "/m/pkce-challenge/dist/index.browser.js",
  "eventsource-parser": "/m/eventsource-parser/dist/index.js", "eventsource-parser/stream": "/m/eventsource-parser/dist/stream.js",
  "eventsource": "/m/eventsource/dist/index.js", "jose": "/m/jose/dist/webapi/index.js"}}</script>
<h1>Chat</h1><p id="log" role="status"></p>
<iframe id="view" title="View" sandbox="allow-scripts allow-forms" style="width:100%;height:200px;border:0"></iframe>
<script type="module">
  import { AppBridge, PostMessageTransport } from "/m/@modelcontextprotocol/ext-apps/dist/src/app-bridge.js";
  const rpc = async (method, params) => {
    const answer = await fetch("/rpc", { method: "POST", body: JSON.stringify({ method, params }) });
    const told = await answer.json();
    if (told.error) throw new Error(told.error);
    return told.result;
  };
  const frame = document.getElementById("view");
  const bridge = new AppBridge(null, { name: "host", version: "0" },
    { serverTools: {}, openLinks: {}, updateModelContext: { text: {} } }, { hostContext: { theme: "light" } });
  bridge.oncalltool = (params) => rpc("tools/call", params);
  bridge.onreadresource = (params) => rpc("resources/read", params);
  bridge.onupdatemodelcontext = async (params) => {
    await fetch("/context", { method: "POST", body: JSON.stringify(params) });
    document.getElementById("log").textContent = "told of version " + params.structuredContent.version;
    return {};
  };
  bridge.onopenlink = async ({ url }) => (document.getElementById("log").append("link " + url), {});
  bridge.onsizechange = ({ height }) => { frame.style.height = height + "px"; };
  bridge.oninitialized = async () => {
    const input = { instance_id: ${JSON.stringify(instance)} };
    await bridge.sendToolInput({ arguments: input });
    await bridge.sendToolResult(await rpc("tools/call", { name: "uixt__access_instance", arguments: input }));
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = "/view";
</script>`;

const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://host").pathname;
  try {
    if (path === "/rpc") {
      const { method, params } = await asked(request);
      const told = await client.request({ method, params }, ResultSchema).then((result) => ({ result }), (error) => ({ error: error.message }));
      text(response, "application/json", JSON.stringify(told));
    } else if (path === "/context") {
      context = request.method === "POST" ? await asked(request) : context;
      text(response, "application/json", JSON.stringify(context));
    } else if (path === "/view") {
      const { contents } = await client.readResource({ uri: resources.find((resource) => resource.uri.startsWith("ui://")).uri });
      response.setHeader("content-security-policy", POLICY);
      text(response, "text/html", contents[0].text);
    } else if (path.startsWith("/m/") && existsSync(join(modules, normalize(path.slice(3))))) {
      response.writeHead(200, { "content-type": "text/javascript" });
      createReadStream(join(modules, normalize(path.slice(3)))).pipe(response);
    } else {
      text(response, "text/html", HOST);
    }
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => {
  const meta = Object.fromEntries(tools.map((tool) => [tool.name, tool._meta ?? null]));
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/`, plainTools, meta, resources }));
});
process.stdin.on("end", async () => {
  await client.close();
  process.exit(0);
});
process.stdin.resume();
