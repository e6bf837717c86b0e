// Every page tells what happened to it: the last thing as data-last of its body, all of it in the list #log.
"use strict";
function log(text) {
    document.body.dataset.last = text;
    document.body.dataset.count = String(Number(document.body.dataset.count || 0) + 1);
    const list = document.getElementById("log");
    if (!list) return;
    const item = document.createElement("li");
    item.textContent = text;
    list.append(item);
}
