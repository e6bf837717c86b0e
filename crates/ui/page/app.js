// Which page is shown: the list, or an instance; links and navigate actions lead from one to another without loading anew.

import { connection } from "./connection.js";
import { make, say, set } from "./dom.js";
import "./instance.js";
import "./list.js";

const main = document.getElementById("main");
const state = document.getElementById("connection");

function show() {
  const found = location.pathname.match(/^\/ui\/i\/([^/]+)$/);
  main.replaceChildren(found ? make("ui-instance", { instance: decodeURIComponent(found[1]) }) : make("ui-list"));
}

function go(path) {
  if (path !== location.pathname) {
    history.pushState(null, "", path);
  }
  show();
}

addEventListener("popstate", show);
document.addEventListener("navigate", (event) => go(`/ui/i/${encodeURIComponent(event.detail)}`));
document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  const isOurs = link && link.origin === location.origin && !link.hasAttribute("download") && link.target !== "_blank" && link.pathname.startsWith("/ui/") && !link.pathname.startsWith("/ui/files/");
  if (isOurs && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    go(link.pathname);
  }
});

connection.addEventListener("state", () => {
  say(state, connection.isOpen ? "Live" : "Connection lost. Trying again…");
  set(state, "class", connection.isOpen ? "connection live" : "connection lost");
});

connection.start(() => new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ui/live`));
show();
