// What a person changes on the studio's page while other things change, too: in a run, after it, on the disk, on a second page.
//
// Usage: node studio_edits.mjs FOLDER ADDRESS PROJECT. FOLDER is where npm installed the packages, ADDRESS the page's with its token, PROJECT the folder
// that it shows, with a testcase `slow.yaml`. Prints what the page showed as one JSON object.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, address, project] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const file = join(project, "slow.yaml");
const seen = {};
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
context.setDefaultTimeout(60_000);
const page = await context.newPage();
await page.goto(address);
const editor = page.getByRole("textbox", { name: "Text of the testcase" });
await editor.waitFor();
await page.waitForFunction(() => document.querySelector("studio-editor textarea").value.includes("teststeps"));

/** The signs in the gutter, by the text of their lines. */
const marks = () =>
  page.evaluate(() => {
    const rows = document.querySelector("studio-editor textarea").value.split("\n");
    const signs = [...document.querySelectorAll("studio-editor .gutter .row")];
    return Object.fromEntries(signs.map((row) => [rows[Number(row.querySelector(".number").textContent) - 1], row.querySelector(".sign").textContent]).filter(([, sign]) => sign).sort());
  });
const run = () => page.getByRole("button", { name: "Run", exact: true }).click();
const stop = (disabled) => page.getByRole("button", { name: "Stop", exact: true, disabled }).waitFor();
const edit = (change) =>
  page.evaluate((from) => {
    const [before, after] = from;
    const { input } = document.querySelector("studio-editor");
    input.value = input.value.replace(before, after);
    input.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }));
  }, change);
const saved = (text) => page.waitForFunction((wanted) => document.querySelector("studio-editor .state").textContent === wanted, text);
const settled = async (wanted) => {
  const told = JSON.stringify(Object.fromEntries(Object.entries(wanted).sort()));
  for (let tries = 0; tries < 1200; tries += 1) {
    const now = await marks();
    if (JSON.stringify(now) === told) {
      return now;
    }
    await page.waitForTimeout(50);
  }
  return marks();
};

// Lines that come above in a run move what it says of each; a step that is another afterwards has not run.
await edit(["teststeps:", "# zero\nteststeps:"]);
await run();
await stop(false);
await edit(["teststeps:", "# one\n# two\nteststeps:"]);
await stop(true);
seen.during = await settled({ "- sleep: 3": "✓", "- app_launch: com.uixt.settings": "✓", "- log: done": "✓" });
await edit(["- log: done", "- log: another"]);
seen.after = await settled({ "- sleep: 3": "✓", "- app_launch: com.uixt.settings": "✓" });

// What is on the disk by now is not written over unless somebody says so.
writeFileSync(file, "config: {name: Other}\nteststeps:\n- log: theirs\n");
await page.keyboard.press("Control+s");
const question = page.locator("#notices .notice", { hasText: "changed on the disk" });
await question.first().waitFor();
await page.getByRole("button", { name: "Save", exact: true }).click();
await question.first().waitFor();
seen.kept = readFileSync(file, "utf8");
await question.first().getByRole("button", { name: "Load it anew" }).click();
await page.waitForFunction(() => document.querySelector("studio-editor textarea").value.includes("theirs"));
await saved("Saved");
await edit(["theirs", "mine"]);
writeFileSync(file, "teststeps:\n- log: again\n");
await page.getByRole("button", { name: "Save", exact: true }).click();
await question.first().waitFor();
await question.first().getByRole("button", { name: "Overwrite it with mine" }).click();
await saved("Saved");
seen.mine = readFileSync(file, "utf8");

// Of two pages, the one that acts records.
const other = await context.newPage();
await other.goto(address.replace(/\?.*/, ""));
await other.waitForFunction(() => document.querySelector("studio-editor textarea")?.value.includes("mine"));
await other.evaluate(() => import("/studio/page/file.js").then(({ file }) => file.open("second.yaml")));
await other.waitForFunction(() => document.querySelector("studio-editor textarea").value.includes("second"));
await other.getByRole("button", { name: "Record", exact: true }).click();
await other.getByRole("button", { name: "Home", exact: true }).first().click();
await other.waitForFunction(() => document.querySelector("studio-editor textarea").value.includes("- home:"));
seen.acted = await other.evaluate(() => document.querySelector("studio-editor textarea").value);
seen.looked = await page.evaluate(() => document.querySelector("studio-editor textarea").value);

// Variables come where they are, also in one line.
seen.variables = await page.evaluate(async () => {
  const { variable } = await import("/studio/page/variables.js");
  const put = (row, name) => {
    const { column, text } = variable([row, "teststeps:"], name, name.toUpperCase());
    return row.slice(0, column) + text + row.slice(column);
  };
  return put(put('config: {name: "a } b"}', "pass"), "pin");
});

// A goal is begun by its button, and what became of it is told beside it.
await page.getByRole("tab", { name: "Goal", exact: true }).click();
await page.getByRole("textbox", { name: "Reach a goal" }).fill("open the shop");
await page.getByRole("button", { name: "Reach it" }).click();
await page.locator("#goal-told", { hasText: "no model is configured" }).waitFor();
console.log(JSON.stringify(seen));
await browser.close();
