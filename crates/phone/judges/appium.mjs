// Drives a virtual iPhone with Appium's own XCUITest driver, whose makers also make WDA: node appium.mjs http://127.0.0.1:8100 FOLDER
// FOLDER holds node_modules with appium and appium-xcuitest-driver.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const [address, folder] = process.argv.slice(2);
const port = 4700 + (process.pid % 200);
const server = spawn(process.execPath, [`${folder}/node_modules/appium/index.js`, '-p', String(port), '--log-level', 'error'], {
  env: { ...process.env, APPIUM_HOME: folder }, stdio: ['ignore', 'inherit', 'inherit'],
});
const base = `http://127.0.0.1:${port}`;
let session = '';
const results = [];

async function ask(method, path, body) {
  const answer = await fetch(base + path.replace('/S', `/session/${session}`), {
    method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body),
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`.slice(0, 300));
  return value;
}

async function check(name, act) {
  try {
    const outcome = await act();
    results.push(outcome !== false);
    console.log(outcome === false ? 'BAD ' : 'ok  ', name);
  } catch (error) {
    results.push(false);
    console.log('BAD ', name, error.message);
  }
}

const find = async (using, value) => Object.values(await ask('POST', '/S/element', { using, value }))[0];
const mobile = (name, args = {}) => ask('POST', '/S/execute/sync', { script: `mobile: ${name}`, args: [args] });
const seen = (text) => find('-ios predicate string', `visible == 1 AND ${text}`);

for (let tries = 0; tries < 120; tries++) {
  if (await fetch(`${base}/status`).then(() => true, () => false)) break;
  await sleep(500);
}
try {
  await check('session', async () => {
    const value = await ask('POST', '/session', { capabilities: { alwaysMatch: {
      platformName: 'ios', 'appium:automationName': 'xcuitest', 'appium:platformVersion': '18.5',
      'appium:udid': '00008110-000E0000000E001E', 'appium:webDriverAgentUrl': address,
    } } });
    session = value.sessionId;
    return Boolean(session);
  });
  await check('mobile: launchApp', () => mobile('launchApp', { bundleId: 'com.uixt.shop' }));
  await check('source', async () => (await ask('GET', '/S/source')).includes('XCUIElementTypeSecureTextField'));
  await check('screenshot', async () => (await ask('GET', '/S/screenshot')).length > 10000);
  await check('window rect', async () => (await ask('GET', '/S/window/rect')).width === 390);
  await check('accessibility id', () => find('accessibility id', 'user'));
  await check('class chain', () => find('-ios class chain', '**/XCUIElementTypeButton[`label == "Sign in"`]'));
  await check('xpath', () => find('xpath', '//XCUIElementTypeSwitch[@name="remember"]'));
  await check('send keys', async () => ask('POST', `/S/element/${await find('accessibility id', 'user')}/value`, { text: 'alice' }));
  await check('text', async () => (await ask('GET', `/S/element/${await find('accessibility id', 'user')}/text`)) === 'alice');
  await check('clear', async () => ask('POST', `/S/element/${await find('accessibility id', 'user')}/clear`, {}));
  await check('attribute', async () => (await ask('GET', `/S/element/${await find('accessibility id', 'user')}/attribute/placeholderValue`)) === 'User name');
  await check('click', async () => ask('POST', `/S/element/${await find('accessibility id', 'user')}/click`, {}));
  await check('active element', () => ask('GET', '/S/element/active'));
  await check('mobile: keys', () => mobile('keys', { keys: ['alice'] }));
  await check('keyboard shown', () => ask('GET', '/S/appium/device/is_keyboard_shown'));
  await check('password', async () => ask('POST', `/S/element/${await find('accessibility id', 'password')}/value`, { text: 'secret123' }));
  await check('displayed', async () => ask('GET', `/S/element/${await find('accessibility id', 'sign_in')}/displayed`));
  await check('rect', async () => (await ask('GET', `/S/element/${await find('accessibility id', 'sign_in')}/rect`)).width > 300);
  await check('element screenshot', async () => (await ask('GET', `/S/element/${await find('accessibility id', 'sign_in')}/screenshot`)).length > 100);
  await check('sign in', async () => ask('POST', `/S/element/${await find('accessibility id', 'sign_in')}/click`, {}));
  await check('welcome', () => seen("label == 'Welcome, alice'"));
  await check('actions', () => ask('POST', '/S/actions', { actions: [{ type: 'pointer', id: 'f', parameters: { pointerType: 'touch' }, actions: [
    { type: 'pointerMove', x: 200, y: 600 }, { type: 'pointerDown' }, { type: 'pause', duration: 50 },
    { type: 'pointerMove', x: 200, y: 300, duration: 200 }, { type: 'pointerUp' }] }] }));
  await check('mobile: tap', () => mobile('tap', { x: 5, y: 120 }));
  await check('mobile: doubleTap', () => mobile('doubleTap', { x: 5, y: 120 }));
  await check('mobile: touchAndHold', () => mobile('touchAndHold', { x: 5, y: 120, duration: 1 }));
  await check('mobile: swipe', () => mobile('swipe', { direction: 'up' }));
  await check('mobile: scroll', () => mobile('scroll', { direction: 'down' }));
  await check('mobile: dragFromToForDuration', () => mobile('dragFromToForDuration', { duration: 0.5, fromX: 100, fromY: 500, toX: 100, toY: 300 }));
  await check('mobile: pinch', () => mobile('pinch', { scale: 0.5, velocity: -1 }));
  await check('mobile: launchApp', () => mobile('launchApp', { bundleId: 'com.uixt.settings' }));
  await check('mobile: activateApp', () => mobile('activateApp', { bundleId: 'com.uixt.shop' }));
  await check('mobile: activeAppInfo', async () => (await mobile('activeAppInfo')).bundleId === 'com.uixt.shop');
  await check('mobile: queryAppState', async () => (await mobile('queryAppState', { bundleId: 'com.uixt.settings' })) === 3);
  await check('mobile: terminateApp', () => mobile('terminateApp', { bundleId: 'com.uixt.settings' }));
  await check('mobile: pressButton', () => mobile('pressButton', { name: 'home' }));
  await check('mobile: source json', async () => (await mobile('source', { format: 'json' })).type === 'Application');
  await check('mobile: lock', () => ask('POST', '/S/appium/device/lock', {}));
  await check('mobile: isLocked', () => mobile('isLocked'));
  await check('mobile: unlock', () => mobile('unlock'));
  await check('url', () => ask('POST', '/S/url', { url: 'uixt-trouble://permission' }));
  await check('asks', async () => ask('POST', `/S/element/${await seen("type == 'XCUIElementTypeButton' AND name != 'Back'")}/click`, {}));
  await check('alert text', async () => (await ask('GET', '/S/alert/text')).length > 5);
  await check('alert buttons', async () => (await mobile('alert', { action: 'getButtons' })).length === 2);
  await check('alert accept', () => ask('POST', '/S/alert/accept', {}));
  await check('no alert', () => ask('GET', '/S/alert/text').then(() => false, (error) => error.message.startsWith('no such alert')));
  await check('landscape', () => ask('POST', '/S/orientation', { orientation: 'LANDSCAPE' }));
  await check('landscape rect', async () => (await ask('GET', '/S/window/rect')).width === 844);
  await check('portrait', () => ask('POST', '/S/orientation', { orientation: 'PORTRAIT' }));
  await check('settings', () => ask('POST', '/S/appium/settings', { settings: { snapshotMaxDepth: 40 } }));
  await check('settings told', async () => (await ask('GET', '/S/appium/settings')).snapshotMaxDepth === 40);
  await check('mobile: batteryInfo', async () => (await mobile('batteryInfo')).level === 1);
  await check('mobile: getSimulatedLocation', () => mobile('setSimulatedLocation', { latitude: 1, longitude: 2 }));
  await check('mobile: deviceScreenInfo', async () => (await mobile('deviceScreenInfo')).scale === 3);
  await check('mobile: hideKeyboard', async () => {
    await mobile('activateApp', { bundleId: 'com.uixt.shop' });
    return true;
  });
  await check('delete', () => ask('DELETE', '/S'));
} finally {
  server.kill();
}
console.log(`${results.filter(Boolean).length} of ${results.length} operations right`);
process.exit(results.every(Boolean) ? 0 : 1);
