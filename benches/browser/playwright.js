// The same 50 steps by playwright-core: `node playwright.js CHROMIUM ADDRESS ROUNDS`; prints the milliseconds of each step.
const { chromium } = require("playwright-core");

async function main() {
    const [executablePath, address, rounds] = process.argv.slice(2);
    const took = [];
    const step = async (work) => {
        const began = performance.now();
        await work();
        took.push(performance.now() - began);
    };
    const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(address + "/counter.html");
    const says = async (wanted) => {
        const text = await page.textContent("#said");
        if (text !== wanted) throw new Error(`${text} is not ${wanted}`);
    };
    for (let round = 0; round < Number(rounds); round++) {
        await step(() => page.fill("#name", "name " + round));
        await step(() => page.click("#greet"));
        await step(() => says("Hello, name " + round));
        await step(() => page.click("#forget"));
        await step(() => says("Forgot name " + round));
    }
    await browser.close();
    console.log(JSON.stringify(took));
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
