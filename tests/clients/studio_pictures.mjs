// The pictures of docs/studio.md: the studio beside a phone on which a recorded testcase has run.
//
// Usage: node studio_pictures.mjs FOLDER ADDRESS OUT. FOLDER is where npm installed the packages, ADDRESS that of a studio that shows a
// testcase of the shop on a phone, OUT the folder for the pictures.

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, address, out] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 940 }, colorScheme });
  await page.goto(address);
  await page.getByText("Live").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator("p.outcome", { hasText: "passed" }).waitFor();
  await page.getByRole("button", { name: "Point", exact: true }).click();
  const canvas = await page.locator("studio-device canvas").first().boundingBox();
  await page.mouse.click(canvas.x + canvas.width * 0.3, canvas.y + canvas.height * 0.13);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(out, `studio-${colorScheme}.png`) });
  await page.close();
}
await browser.close();
