// The page in a chat (MCP Apps): the host shows this document in a frame and carries what it asks to the server, as calls of a tool.
// Messages are JSON-RPC 2.0 between windows: https://github.com/modelcontextprotocol/ext-apps, specification of 2026-01-26.

import { connection } from "./connection.js";
import { make, say, set, text } from "./dom.js";
import "./instance.js";

const PROTOCOL = "2026-01-26";
/** The tool that answers what the page's WebSocket would. */
const TOOL = "uixt_page";
/** Milliseconds between the last change by the user and what the model is told of it. */
const SETTLED = 400;

const shown = document.getElementById("main");
const lost = document.getElementById("connection");

class Host {
  capabilities = {};
  #asked = new Map();
  #count = 0;
  /** Method → what is done with its parameters; what it returns is the answer to a request. */
  heard = new Map();

  constructor() {
    addEventListener("message", (event) => {
      if (event.source === parent && event.data?.jsonrpc === "2.0") {
        this.#hear(event.data);
      }
    });
  }

  #post(message) {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  async #hear({ id, method, params, result, error }) {
    if (method === undefined) {
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      error ? asked?.reject(new Error(error.message)) : asked?.resolve(result);
      return;
    }
    const answer = this.heard.get(method);
    const done = await answer?.(params ?? {});
    if (id !== undefined) {
      this.#post(answer ? { id, result: done ?? {} } : { id, error: { code: -32601, message: `no method ${method}` } });
    }
  }

  /** Asks for something; resolves with the answer. */
  ask(method, params) {
    this.#count += 1;
    const id = this.#count;
    this.#post({ id, method, params });
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  tell(method, params = {}) {
    this.#post({ method, params });
  }
}

const host = new Host();

/** Acts like the page's WebSocket. */
class HostSocket {
  readyState = WebSocket.CONNECTING;
  /** Id → a mark of who follows it. */
  #followed = new Map();

  constructor() {
    queueMicrotask(() => {
      this.readyState = WebSocket.OPEN;
      this.onopen();
    });
  }

  send(message) {
    const said = JSON.parse(message);
    if (said.type === "open") {
      this.#follow(said.id);
    } else if (said.type === "close") {
      this.#followed.delete(said.id);
    } else {
      this.#ask(said).then((told) => told?.type === "done" && tellModel());
    }
  }

  close() {
    if (this.readyState !== WebSocket.CLOSED) {
      this.readyState = WebSocket.CLOSED;
      this.#followed.clear();
      this.onclose();
    }
  }

  /** Asks again and again what comes after what is shown; each answer waits until there is something. */
  async #follow(id) {
    const mark = {};
    this.#followed.set(id, mark);
    let version = null;
    while (this.#followed.get(id) === mark) {
      const told = await this.#ask({ type: "open", id, version });
      version = told?.version ?? version;
    }
  }

  async #ask(said) {
    try {
      const { isError, content, structuredContent } = await host.ask("tools/call", { name: TOOL, arguments: said });
      if (isError || !structuredContent) {
        throw new Error(content?.[0]?.text ?? "no answer");
      }
      if (this.readyState === WebSocket.OPEN) {
        this.onmessage({ data: JSON.stringify(structuredContent) });
      }
      return structuredContent;
    } catch (error) {
      console.warn(`uixt: ${error.message}`);
      this.close();
      return null;
    }
  }
}

let told = null;

/** Tells the model what the user did, once nothing more is done for a moment. */
function tellModel() {
  clearTimeout(told);
  told = setTimeout(() => {
    const instance = connection.documents.get(shown.firstElementChild?.getAttribute("instance"));
    if (host.capabilities.updateModelContext && instance?.schema) {
      const { id, version, schema } = instance;
      const words = `The user changed the UI instance ${id}, which is in version ${version} now. Its state: ${JSON.stringify(schema.state)}`;
      const context = { content: [{ type: "text", text: words }], structuredContent: { instance_id: id, version, state: schema.state } };
      host.ask("ui/update-model-context", context).catch((error) => console.warn(`uixt: ${error.message}`));
    }
  }, SETTLED);
}

function show(id) {
  if (shown.firstElementChild?.getAttribute("instance") !== id) {
    shown.replaceChildren(make("ui-instance", { instance: id }));
  }
}

function explain(words) {
  shown.replaceChildren(make("p", { class: "missing" }, words));
}

/** Looks as the host does. */
function adapt({ theme, styles }) {
  const root = document.documentElement;
  if (theme) {
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    root.style.setProperty(name, value ?? null);
  }
}

host.heard.set("ping", () => ({}));
host.heard.set("ui/notifications/tool-result", ({ isError, content, structuredContent }) => {
  const id = structuredContent?.instance_id;
  const words = structuredContent?.message ?? content?.find((block) => block.type === "text")?.text;
  id && !isError ? show(id) : explain(text(words) || "Nothing is to be shown.");
});
host.heard.set("ui/notifications/tool-cancelled", ({ reason }) => explain(`Cancelled${reason ? `: ${reason}` : ""}.`));
host.heard.set("ui/notifications/host-context-changed", adapt);
host.heard.set("ui/resource-teardown", () => shown.firstElementChild?.flush?.());

document.addEventListener("navigate", (event) => show(event.detail));
document.addEventListener("click", (event) => {
  const address = event.target.closest("a[href]:not([download])")?.getAttribute("href");
  if (address) {
    event.preventDefault();
    if (/^https?:/i.test(address)) {
      host.ask("ui/open-link", { url: address }).catch((error) => console.warn(`uixt: ${error.message}`));
    }
  }
});

connection.takesFiles = false;
connection.addEventListener("state", () => {
  set(lost, "hidden", connection.isOpen);
  say(lost, connection.isOpen ? "" : "Connection lost. Trying again…");
});

const begun = await host.ask("ui/initialize", {
  protocolVersion: PROTOCOL,
  appInfo: { name: "uixt", title: "UI instances", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
});
host.capabilities = begun.hostCapabilities ?? {};
adapt(begun.hostContext ?? {});
if (host.capabilities.serverTools) {
  connection.start(() => new HostSocket());
} else {
  explain("This program does not let a view ask its server.");
}
host.tell("ui/notifications/initialized");
new ResizeObserver(([{ borderBoxSize }]) => {
  host.tell("ui/notifications/size-changed", { width: Math.ceil(borderBoxSize[0].inlineSize), height: Math.ceil(borderBoxSize[0].blockSize) });
}).observe(document.documentElement);
