// The studio's page where all that it is told means no good: names, texts, paths and messages that would be markup, scripts, addresses or selectors.
//
// Usage: node studio_hostile.mjs FOLDER ADDRESS. FOLDER is where npm installed the packages, ADDRESS the page's with its token: its files and headers are
// those of the program, what it is told is made up here. Prints what went wrong as one JSON object: {errors: [], shown}, where `shown` counts hostile texts in sight.

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, address] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const TEXTS = [
  "<script>globalThis.ran = 1</script>",
  '"><img src=//evil.example/x onerror="globalThis.ran = 1">',
  "' onmouseover='globalThis.ran = 1' style='background:url(//evil.example/y)",
  "javascript:globalThis.ran = 1",
  "</textarea></select><iframe srcdoc='<script>parent.ran = 1</script>'>",
  "${globalThis.ran = 1} {{ran}} $& {}",
  "constructor",
  "__proto__",
  "\"] *, [x=\"\\",
  "../../../../etc/passwd?x#y",
  "//evil.example/x",
  "\u202Egnp.x\u0000\u0007\u001b[31m\n\n- tap: x",
  `<b>${"long ".repeat(4000)}</b>`,
];
const errors = [];
let at = 0;
/** The next hostile text. */
const bad = () => TEXTS[at++ % TEXTS.length];
const all = (make) => TEXTS.map((text, place) => make(text, place));

const step = (text, line) => ({
  number: line, line, file: text, name: text, outcome: ["failed", "errored", text][line % 3], ms: 1, began: 1, message: text, picture: text, before: bad(), kept: bad(), mark: { gesture: bad(), point: [bad(), 0.5] },
  error: { kind: bad(), message: text, details: { cause: bad(), baseline: bad(), places: [[bad(), 1, 2, 3]], [bad()]: bad(), ...(line % 2 ? { comparison: { expected: bad(), actual: bad(), difference: bad() } } : {}) } },
});
const one = () => ({ folder: bad(), started: bad(), outcome: bad(), ms: 1, cases: all((text) => ({ id: text, name: text, file: bad(), outcome: "failed", ms: 1, steps: all(step), log: [] })) });
const problem = (message, line) => ({ line: line + 1, column: 1, length: 3, message, hint: bad(), help: bad(), file: line % 2 ? bad() : null });
const answers = {
  open: () => ({ path: "a.yaml", text: TEXTS.join("\n"), saved: false, errors: all(problem), warnings: all(problem), steps: [] }),
  cases: () => ({ cases: all((path) => ({ path, name: bad(), tags: [bad()], outcome: bad(), ms: 1 })) }),
  results: () => ({ runs: all((text) => ({ folder: text, started: text, outcome: text, cases: text, failed: text, ms: 1, paths: [text] })) }),
  result: one,
  point: () => ({ n: 0, written: bad(), count: 2, seen: false, why: bad(), target: bad(), steps: all((text) => ({ text })), asserts: all((text) => ({ kind: text, text })) }),
  try: () => ({ message: bad(), matches: all((name, n) => ({ n, role: bad(), name, seen: false, why: bad(), rect: [1, 1, 9, 9] })) }),
  repairs: () => ({ repairs: all((text, n) => ({ n, place: text, file: text, line: 1, now: text, doubt: bad(), left: bad(), choices: all((why) => ({ why, diff: `- ${bad()}\n+ ${bad()}` })) })) }),
  complete: () => ({ from: 0, to: 0, items: all((label) => ({ label, detail: bad(), insert: bad() })) }),
  explain: () => ({ title: bad(), text: bad() }),
  text: () => ({ errors: all(problem), warnings: [], steps: [] }),
};
const devices = all((name, index) => ({ index, name, serial: bad(), platform: index % 2 ? "browser" : bad(), can: ["url", bad()] })).slice(0, 5);
const events = () => [
  { event: "hello", project: bad(), root: bad(), version: bad(), language: bad(), devices, recording: false, recorded: null, file: "a.yaml", run: bad(), running: null, agent: true, taken: false },
  ...devices.flatMap(({ index }) => [
    { event: "screen", device: index, size: [400, 800], package: bad(), page: bad(), title: bad(), trouble: bad(), elements: all((text, n) => ({ n, parent: n ? 0 : null, role: text, name: text, text, label: text, hint: text, id: text, test_id: text, rect: [n, n, 90 + n, 90 + n], seen: true, why: bad() })) },
    { event: "tabs", device: index, tabs: all((title, tab) => ({ index: tab, title, url: bad(), active: tab === 0 })) },
    { event: "dialog", device: index, dialog: { type: "prompt", message: bad(), default: bad() } },
    { event: "agent", device: index, id: 1, state: "ended", tool: bad(), text: bad(), outcome: "failed", ms: 1, message: bad() },
  ]),
  { event: "log", lines: all((text) => ({ at: bad(), level: bad(), text })) },
  ...all((message) => ({ event: "note", level: "info", message })),
  ...all((text, n) => ({ event: "goal", state: "step", n, text, outcome: "passed", message: bad() })),
  { event: "goal", state: "ended", outcome: bad(), message: bad() },
  ...all((text, line) => ({ event: "step", step: line, ...step(text, line) })),
];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
page.on("pageerror", ({ message }) => errors.push(`error: ${message}`));
page.on("console", (message) => /Content Security Policy/.test(message.text()) && errors.push(message.text()));
page.on("request", (request) => new URL(request.url()).host === new URL(address).host || request.url().startsWith("data:image/") || errors.push(`asks for ${request.url()}`));
let socket = null;
await page.routeWebSocket(/\/studio\/live$/, (opened) => {
  socket = opened;
  opened.onMessage((said) => {
    const { do: verb, id } = JSON.parse(said);
    const answer = answers[verb]?.();
    opened.send(JSON.stringify(answer || verb === "want" ? { re: id, ok: answer ?? {} } : { re: id, error: { kind: bad(), message: bad() } }));
  });
  events().forEach((event) => opened.send(JSON.stringify(event)));
});

/** What is in the page that nobody put there. */
const look = async (where) => {
  const found = await page.evaluate(() => {
    const wrong = [...document.querySelectorAll("*")].filter((one) => {
      const named = [...one.attributes].some(({ name, value }) => name.startsWith("on") || (name === "style" && /url|expression/.test(value)) || (["href", "src", "srcdoc", "action"].includes(name) && !/^(\/studio\/(page|results)\/|data:image\/jpeg)/.test(value)));
      return named || ["IFRAME", "OBJECT", "EMBED", "A", "B", "BASE"].includes(one.tagName) || (one.tagName === "SCRIPT" && !one.src.includes("/studio/page/"));
    });
    return { ran: globalThis.ran, wrong: wrong.map((one) => one.outerHTML.slice(0, 200)), text: document.body.innerText };
  });
  if (found.ran || found.wrong.length) {
    errors.push(`${where}: ${JSON.stringify([found.ran, found.wrong])}`);
  }
  shown += TEXTS.filter((text) => found.text.includes(text.slice(0, 40))).length;
};
let shown = 0;
await page.goto(address);
await page.getByText(/^Live|已连接$/).waitFor();
await page.waitForTimeout(800);
await look("at first");
for (const panel of ["step", "tree", "log", "goal", "element"]) {
  await page.locator(`#tab-${panel}`).click();
  await page.waitForTimeout(200);
  await look(panel);
}
const acts = {
  tree: async () => (await page.locator("#tab-tree").click(), page.locator("studio-tree .row").nth(1).click()),
  target: async () => (await page.locator("#tab-element").click(), page.locator("#try-target").fill("x")),
  goal: async () => (await page.locator("#tab-goal").click(), await page.locator("#goal").fill("x"), page.locator("#goal").press("Enter")),
  results: async () => (await page.locator("#tab-results").click(), page.locator("studio-results .row").first().click()),
  case: () => page.locator("studio-results .row").nth(1).click(),
  second: () => page.locator("studio-timeline .frame").nth(1).click(),
  third: () => page.locator("studio-timeline .frame").nth(2).click(),
  mend: () => page.locator("studio-results .tools button").nth(1).click(),
  mended: () => page.locator("dialog .plain").first().click(),
  closed: () => page.keyboard.press("Escape"),
  tap: () => page.locator("studio-agent button").click(),
  beside: () => page.keyboard.press("Alt+5"),
  choose: () => socket.send(JSON.stringify({ event: "choose", device: 0, name: bad(), options: TEXTS, at: [1, 1], rect: [0, 0, 9, 9] })),
  completion: async () => (await page.locator("studio-editor textarea").focus(), page.keyboard.press("Control+Space")),
  explanation: () => page.keyboard.press("F1"),
  recorded: () => socket.send(JSON.stringify({ event: "step_recorded", text: `- ${TEXTS.join("\n- ")}\n`, replaces: false, variables: all((name) => ({ name, environment: bad() })) })),
  changed: () => socket.send(JSON.stringify({ event: "file_changed", path: "a.yaml" })),
  gone: () => socket.send(JSON.stringify({ event: "gone", message: bad() })),
};
for (const [name, act] of Object.entries(acts)) {
  try {
    await page.setDefaultTimeout(5000);
    await act();
  } catch (error) {
    errors.push(`${name}: ${error.message.split("\n")[0]}`);
  }
  await page.waitForTimeout(250);
  await look(name);
}
await page.setDefaultTimeout(5000);
await browser.close();
console.log(JSON.stringify({ errors, shown }));
