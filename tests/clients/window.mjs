// A person at the window of a browser, who is Playwright: flows acted there by a mouse and keys alone while `uixt record --headed` follows them.
//
// Usage: node window.mjs FOLDER PROGRAM PROJECT SITE FLOWS BROWSER. FOLDER is where npm installed the packages, PROGRAM uixt, PROJECT where testcases are
// written, SITE the address of the pages, FLOWS a file as `studio.mjs` reads it, with more kinds of steps, BROWSER a program that opens a port for other
// clients. What is asserted is typed on the terminal. Prints the testcases, and what was printed, as one JSON object.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, program, project, site, flows, shown] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const PATIENCE = 60_000;
const STILL = 700;
const seen = { recorded: {}, printed: {}, latencies: [] };
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const until = async (what, look) => {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`no ${what}`);
    }
    await rest(30);
  }
};

/** The port that the browser of a folder tells. */
const port = (profiles) => {
  for (const name of readdirSync(profiles)) {
    const file = join(profiles, name, "DevToolsActivePort");
    const [line] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    if (line) {
      return line;
    }
  }
  return null;
};

const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Acts a flow; returns the testcase and what was printed. */
const act = async ({ file, steps }) => {
  const path = join(project, file);
  const profiles = join(project, "profiles");
  rmSync(profiles, { recursive: true, force: true });
  mkdirSync(profiles);
  const uixt = spawn(program, ["record", file, "--headed"], { cwd: project, env: { ...process.env, UIXT_BROWSER: shown, UIXT_DATA_DIR: join(project, "data"), TMPDIR: profiles }, stdio: "pipe" });
  let told = "";
  uixt.stdout.on("data", (data) => (told += data));
  uixt.stderr.on("data", (data) => (told += data));
  const ended = new Promise((resolve) => uixt.on("exit", resolve));
  try {
    const number = await until("port", () => port(profiles));
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${number}`);
    const context = browser.contexts()[0];
    await until("page", () => context.pages().length);
    const answers = [];
    let page = context.pages()[0];
    const listen = (one) => one.on("dialog", async (dialog) => {
      const answer = await until("answer", () => answers.shift());
      await (answer === "accept" ? dialog.accept() : dialog.dismiss());
    });
    context.pages().forEach(listen);
    context.on("page", listen);

    /** Does something, and waits until the testcase has it. */
    const recorded = async (what, some = () => true) => {
      const before = read(path);
      const began = Date.now();
      await what();
      await until("step", () => read(path) !== before && some());
      seen.latencies.push(Date.now() - began);
      let [last, since] = [read(path), Date.now()];
      await until("rest", () => {
        const now = read(path);
        [last, since] = now === last ? [last, since] : [now, Date.now()];
        return Date.now() - since > STILL;
      });
    };
    const element = (name) => until(name, async () => {
      for (const frame of page.frames()) {
        const named = [frame.locator(`[id="${name}"]`), frame.getByLabel(name, { exact: true }), frame.getByText(name, { exact: true }), frame.getByRole("button", { name, exact: true })];
        for (const found of named) {
          const box = (await found.count()) > 0 ? await found.first().boundingBox() : null;
          if (box?.width > 0) {
            return { box, found: found.first() };
          }
        }
      }
      return null;
    });
    const middle = async (name) => {
      const { box, found } = await element(name);
      const view = page.viewportSize() ?? { height: 800 };
      if (box.y + box.height > view.height) {
        await found.scrollIntoViewIfNeeded();
        return middle(name);
      }
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const acts = {
      url: (url) => recorded(() => page.goto(site + url)),
      tap: (name) => recorded(async () => page.mouse.click(...(await middle(name)))),
      double: (name) => recorded(async () => page.mouse.dblclick(...(await middle(name)))),
      right: (name) => recorded(async () => page.mouse.click(...(await middle(name)), { button: "right" })),
      type: (text) => recorded(() => page.keyboard.type(text), () => read(path).includes(text) || read(path).includes("$password")),
      key: (key) => recorded(() => page.keyboard.press(key)),
      // What an input method gives.
      compose: (text) => recorded(async () => {
        const session = await context.newCDPSession(page);
        for (const part of [text.slice(0, 1), text]) {
          await session.send("Input.imeSetComposition", { text: part, selectionStart: part.length, selectionEnd: part.length });
        }
        await session.send("Input.insertText", { text });
      }, () => read(path).includes(text)),
      press: async (name) => page.mouse.click(...(await middle(name))),
      value: ([keys, value]) => recorded(() => page.keyboard.type(keys, { delay: 50 }), () => read(path).includes(value)),
      back: () => recorded(async () => {
        // What comes soon after an act is taken for an effect of it.
        await rest(2500);
        await page.goBack();
      }),
      drag: ([from, to]) => recorded(async () => {
        const [start, end] = [await middle(from), await middle(to)];
        await page.mouse.move(...start);
        await page.mouse.down();
        await page.mouse.move(...end, { steps: 10 });
        await page.mouse.up();
      }),
      scroll: async (pixels) => {
        await page.mouse.move(640, 400);
        await page.mouse.wheel(0, pixels);
        await rest(STILL);
      },
      // The list and the chooser themselves are the browser's, in a window that no client reaches: a key chooses the next option that begins with it.
      option: ([name, option]) => recorded(async () => {
        const { found } = await element(name);
        await found.focus();
        await page.keyboard.press(/^\w/.test(option) ? option[0] : "ArrowDown");
      }),
      files: ([name, file]) => recorded(async () => {
        const session = await context.newCDPSession(page);
        const id = name.startsWith("#") ? name.slice(1) : await (await element(name)).found.getAttribute("id");
        const expression = `document.getElementById(${JSON.stringify(id)})`;
        const { result } = await session.send("Runtime.evaluate", { expression });
        await session.send("DOM.setFileInputFiles", { objectId: result.objectId, files: [join(project, file)] });
      }),
      dialog: (answer) => recorded(() => answers.push(answer)),
      tab: async (number) => {
        await rest(STILL);
        page = await until(`tab ${number}`, () => context.pages()[number]);
        await page.bringToFront();
      },
      assert: async ([name]) => {
        const said = told.length;
        uixt.stdin.write(`see ${name}\n`);
        await until("answer", () => told.slice(said).includes(`"${name}"`));
      },
    };
    for (const step of steps) {
      const [name, value] = Object.entries(step)[0];
      try {
        await acts[name](value);
      } catch (error) {
        throw new Error(`${file}: ${JSON.stringify(step)}: ${error.message}\n${read(path)}\n${told}`);
      }
    }
    uixt.stdin.write("quit\n");
    const code = await ended;
    if (code !== 0) {
      throw new Error(`${file}: it ended with ${code}: ${told}`);
    }
    await browser.close();
  } finally {
    uixt.kill();
  }
  seen.recorded[file] = read(path);
  seen.printed[file] = told;
};

for (const flow of JSON.parse(readFileSync(flows, "utf8"))) {
  await act(flow);
}
seen.latencies.sort((one, other) => one - other);
console.log(JSON.stringify(seen));
process.exit(0);
