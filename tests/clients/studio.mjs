// The studio's page in a browser that Playwright drives: flows recorded by a mouse and keys alone, and what axe finds.
//
// Usage: node studio.mjs FOLDER ADDRESS FLOWS [axe]. FOLDER is where npm installed the packages, ADDRESS the page's with its token, FLOWS a file:
// [{file, steps: [{url}, {tap: name}, {long: name}, {double: name}, {right: name}, {type: text}, {key}, {drag: [name, name]}, {swipe: "up"|"down"|"left"}, {scroll: pixels},
// {option: [name, option]}, {files: [name, path]}, {dialog: "accept", text}, {tab: number}, {home: true}, {back: true}, {assert: [name, kind]}]}]. A name is that of an
// element on the device, its id, or a place, [x, y]. Prints what it saw as one JSON object.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, address, flows, judge] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const axe = readFileSync(join(folder, "node_modules/axe-core/axe.min.js"), "utf8");
const seen = { recorded: {}, errors: [], violations: [], latencies: [] };
const PATIENCE = 60_000;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, bypassCSP: true });
page.on("pageerror", (error) => seen.errors.push(error.message));

// What the page is told of the device: where its elements stand, and when pictures come.
let screen = null;
let pictured = 0;
let told = 0;
let tabs = [];
/** The acts that are not answered yet. */
const asked = new Set();
page.on("websocket", (socket) => {
  socket.on("framesent", ({ payload }) => {
    const said = typeof payload === "string" ? JSON.parse(payload) : {};
    if (["act", "assert"].includes(said.do)) {
      asked.add(said.id);
    }
  });
  socket.on("framereceived", ({ payload }) => {
    if (typeof payload !== "string") {
      pictured = Date.now();
      return;
    }
    const said = JSON.parse(payload);
    asked.delete(said.re);
    if (said.event === "screen") {
      screen = said;
      told = Date.now();
    }
    tabs = said.event === "tabs" ? said.tabs : tabs;
  });
});
await page.goto(address);
await page.getByText("Live").waitFor();

const until = async (what, look) => {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      const names = (screen?.elements ?? []).filter((one) => one.seen && one.name).map((one) => `${one.role} ${one.name}`);
      throw new Error(`no ${what}; there are: ${names.join(", ").slice(0, 1500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

const isNamed = (one, name) => one.seen && [one.name, one.hint, one.label, one.test_id, one.id.split("/").at(-1)].includes(name);
const middle = ({ rect: [left, top, right, bottom] }) => [(left + right) / 2, (top + bottom) / 2];
const isWithin = ([x, y]) => x >= 0 && y >= 0 && x < screen.size[0] && y < screen.size[1];
/** Waits until an element of this name is there, and stays where it is. */
const element = async (name) => {
  if (Array.isArray(name)) {
    return { rect: [...name, ...name] };
  }
  let last = null;
  return until(name, () => {
    const found = (screen?.elements ?? []).filter((one) => isNamed(one, name) && isWithin(middle(one))).at(-1);
    const place = found && JSON.stringify(found.rect);
    const isStill = place && place === last;
    last = place;
    return isStill ? found : null;
  });
};

/** Returns where a point of the device is on the page. */
const at = async ([x, y]) => {
  const box = await until("picture", () => page.locator("studio-device canvas").first().boundingBox());
  return [box.x + (x * box.width) / screen.size[0], box.y + (y * box.height) / screen.size[1]];
};
/** Waits until what was done is done, and what came of it is told. */
const rest = async () => {
  const begun = Date.now();
  await page.waitForTimeout(60);
  await until("answer", () => asked.size === 0);
  const done = Date.now();
  // What changes nothing is over soon.
  await until("rest", () => (told > begun && Date.now() - Math.max(told, pictured) > 150) || Date.now() - done > 1500);
};

const click = async (name, options = {}) => {
  const [x, y] = await at(middle(await element(name)));
  const begun = Date.now();
  await page.mouse.move(x, y);
  await page.mouse.click(x, y, options);
  if (Array.isArray(name)) {
    // Nothing but the picture tells what came of it.
    await until("picture", () => pictured > begun);
  }
  await rest();
  if (pictured > begun) {
    seen.latencies.push(pictured - begun);
  }
};

const acts = {
  url: async (url) => {
    const field = page.getByRole("textbox", { name: "Address" });
    await field.fill(url);
    await field.press("Enter");
    await rest();
  },
  tap: (name) => click(name),
  long: (name) => click(name, { delay: 700 }),
  double: (name) => click(name, { clickCount: 2 }),
  right: (name) => click(name, { button: "right" }),
  type: async (text) => {
    await page.keyboard.type(text);
    await rest();
  },
  key: async (key) => {
    await page.keyboard.press(key);
    await rest();
  },
  drag: async ([from, to]) => {
    const [start, end] = [await at(middle(await element(from))), await at(middle(await element(to)))];
    await page.mouse.move(...start);
    await page.mouse.down();
    await page.waitForTimeout(600);
    await page.mouse.move(...end, { steps: 10 });
    await page.mouse.up();
    await rest();
  },
  swipe: async (direction) => {
    const [width, height] = screen.size;
    const [from, to] = { up: [0.7, 0.3], down: [0.3, 0.7], left: [0.8, 0.2] }[direction];
    const place = (share) => (direction === "left" ? [width * share, height / 2] : [width / 2, height * share]);
    const [start, end] = [await at(place(from)), await at(place(to))];
    await page.mouse.move(...start);
    await page.mouse.down();
    await page.mouse.move(...end, { steps: 8 });
    await page.mouse.up();
    await rest();
  },
  scroll: async (pixels) => {
    const [x, y] = await at([screen.size[0] / 2, screen.size[1] / 2]);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, pixels);
    await rest();
  },
  option: async ([name, option]) => {
    await click(name);
    await page.getByRole("menuitem", { name: option, exact: true }).click();
    await rest();
  },
  files: async ([name, path]) => {
    await click(name);
    await page.getByRole("menuitem", { name: path, exact: true }).click();
    await rest();
  },
  dialog: async (answer) => {
    await page.getByRole("button", { name: answer === "accept" ? "Accept" : "Dismiss" }).click();
    await rest();
  },
  tab: async (number) => {
    await until(`tab ${number}`, () => tabs.length > number);
    await page.locator("studio-device").getByRole("tab").nth(number).click();
    await rest();
  },
  home: async () => {
    await page.getByRole("button", { name: "Home", exact: true }).click();
    await rest();
  },
  back: async () => {
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await rest();
  },
  assert: async ([name, kind]) => {
    const [x, y] = await at(middle(await element(name)));
    await page.getByRole("button", { name: "Assert", exact: true }).click();
    await page.mouse.click(x, y);
    await page.getByRole("menuitem", { name: kind }).first().click();
    await page.getByRole("button", { name: "Use", exact: true }).click();
    await rest();
  },
};

/** The text of the testcase that is shown. */
const text = () => page.locator("studio-editor textarea").inputValue();

for (const { file, steps } of JSON.parse(readFileSync(flows, "utf8"))) {
  await page.getByRole("button", { name: "New testcase" }).click();
  await page.getByRole("textbox").last().fill(file);
  await page.keyboard.press("Enter");
  await until(file, async () => (await text()).startsWith("config:"));
  const record = page.getByRole("button", { name: "Record", exact: true });
  await record.click();
  await until("recording", async () => (await record.getAttribute("aria-pressed")) === "true");
  for (const step of steps) {
    const [name, value] = Object.entries(step)[0];
    try {
      await acts[name](value, step);
    } catch (error) {
      throw new Error(`${file}: ${JSON.stringify(step)}: ${error.message}\n${await text()}`);
    }
  }
  await record.click();
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  seen.recorded[file] = await text();
}

for (const colorScheme of judge === "axe" ? ["light", "dark"] : []) {
  await page.emulateMedia({ colorScheme });
  for (const panel of ["Element", "Tree", "Step", "Log", "Goal"]) {
    await page.getByRole("tab", { name: panel }).click();
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    if (passes.length === 0) {
      seen.errors.push(`${panel}: axe tried nothing`);
    }
    for (const { id, help, nodes } of violations) {
      seen.violations.push({ panel, colorScheme, id, help, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) });
    }
  }
}
seen.latencies.sort((one, other) => one - other);
await browser.close();
console.log(JSON.stringify(seen));
