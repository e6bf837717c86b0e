// Drives a virtual iPhone with Appium's own XCUITest driver, whose makers also make WebDriverAgent.
//
// Usage: node iphone_appium.mjs FOLDER ADDRESS UDID. FOLDER is where npm installed appium and appium-xcuitest-driver, ADDRESS that of
// WebDriverAgent (http://…) on a phone that was just started. Prints as one JSON object, in the last line, which operations were right,
// and which were wrong and why; what acts is judged by what the phone counts, or by what it shows afterwards.

import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [folder, address, udid] = process.argv.slice(2);
const PATIENCE = 60_000;
const outcome = { right: [], wrong: [] };

// Appium takes no port 0. Its server is given it all the same, so that it has a port of loopback that is free.
const { listen } = Server.prototype;
Server.prototype.listen = function (_port, _host, ...more) {
  return listen.call(this, 0, '127.0.0.1', ...more);
};
process.env.APPIUM_HOME = folder;
// It keeps the paths of its drivers there, which are others once the folder was moved.
await rm(join(folder, 'node_modules/.cache/appium'), { recursive: true, force: true });
const { main } = createRequire(join(folder, 'x.js'))('appium');
const server = await main({ subcommand: 'server', loglevel: 'error', address: '127.0.0.1' });
Server.prototype.listen = listen;
const base = `http://127.0.0.1:${server.address().port}`;
let session = '';

async function ask(method, path, body) {
  const answer = await fetch(base + path.replace('/S', `/session/${session}`), {
    method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE),
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`.slice(0, 300));
  return value;
}

/** Judges what `act` returns: anything but true is wrong. */
async function check(name, act) {
  try {
    const value = await act();
    if (value !== true) throw new Error(`it came to ${JSON.stringify(value)?.slice(0, 300)}`);
    outcome.right.push(name);
  } catch (error) {
    outcome.wrong.push(`${name}: ${error.message}`);
  }
}

/** Asks until something is so. */
async function until(so) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await so().catch(() => false);
    if (value || Date.now() > end) return value;
    await sleep(50);
  }
}

/** Returns by how much the phone counts on while something is done. */
async function counted(what, act) {
  const count = async () => (await (await fetch(`${address}/uixt/acts`)).json())[what] ?? 0;
  const before = await count();
  await act();
  return (await count()) - before;
}

const find = async (using, value) => Object.values(await ask('POST', '/S/element', { using, value }))[0];
const id = (name) => find('accessibility id', name);
const of = async (name, what) => ask('GET', `/S/element/${await id(name)}/${what}`);
const to = async (name, what, body = {}) => ask('POST', `/S/element/${await id(name)}/${what}`, body);
const mobile = (name, args = {}) => ask('POST', '/S/execute/sync', { script: `mobile: ${name}`, args: [args] });
const seen = (text) => find('-ios predicate string', `visible == 1 AND ${text}`);
const isSeen = (text) => until(async () => Boolean(await seen(text)));
const inFront = async () => (await mobile('activeAppInfo')).bundleId;
const rect = () => ask('GET', '/S/window/rect');
const stateOf = (bundleId) => mobile('queryAppState', { bundleId });

await check('session', async () => {
  const value = await ask('POST', '/session', { capabilities: { alwaysMatch: {
    platformName: 'ios', 'appium:automationName': 'xcuitest', 'appium:platformVersion': '18.5',
    'appium:udid': udid, 'appium:webDriverAgentUrl': address,
  } } });
  session = value.sessionId;
  return Boolean(session);
});
await check('mobile: launchApp', async () => {
  await mobile('launchApp', { bundleId: 'com.uixt.shop' });
  return (await inFront()) === 'com.uixt.shop';
});
await check('source', async () => (await ask('GET', '/S/source')).includes('XCUIElementTypeSecureTextField'));
await check('screenshot', async () => {
  const picture = Buffer.from(await ask('GET', '/S/screenshot'), 'base64');
  return picture.readUInt32BE(16) === 1170 && picture.readUInt32BE(20) === 2532;
});
await check('window rect', async () => (await rect()).width === 390 && (await rect()).height === 844);
await check('accessibility id', async () => Boolean(await id('user')));
await check('class chain', async () => (await find('-ios class chain', '**/XCUIElementTypeButton[`label == "Sign in"`]')) === (await id('sign_in')));
await check('xpath', async () => Boolean(await find('xpath', '//XCUIElementTypeSwitch[@name="remember"]')));
await check('class name', async () => (await find('class name', 'XCUIElementTypeSecureTextField')) === (await id('password')));
await check('elements', async () => (await ask('POST', '/S/elements', { using: 'class name', value: 'XCUIElementTypeTextField' })).length === 1);
await check('no such element', () => id('nowhere').then(() => false, (error) => error.message.startsWith('no such element')));
await check('element name', async () => (await of('sign_in', 'name')) === 'XCUIElementTypeButton');
await check('enabled', async () => (await of('sign_in', 'enabled')) === true);
await check('send keys', async () => (await counted('keys', () => to('user', 'value', { text: 'bob' }))) === 3);
await check('text', async () => (await of('user', 'text')) === 'bob');
await check('clear', async () => {
  await to('user', 'clear');
  return (await of('user', 'attribute/value')) === 'User name';
});
await check('attribute', async () => (await of('user', 'attribute/placeholderValue')) === 'User name');
await check('click', async () => (await counted('touches', () => to('user', 'click'))) === 1);
await check('active element', async () => Object.values(await ask('GET', '/S/element/active'))[0] === (await id('user')));
await check('mobile: keys', async () => {
  await mobile('keys', { keys: ['alice'] });
  return (await of('user', 'text')) === 'alice';
});
await check('keyboard shown', async () => (await ask('GET', '/S/appium/device/is_keyboard_shown')) === true);
await check('password', async () => {
  await to('password', 'value', { text: 'secret123' });
  return (await of('password', 'text')) === '•'.repeat(9);
});
await check('displayed', async () => (await of('sign_in', 'displayed')) === true);
await check('rect', async () => (await of('sign_in', 'rect')).width > 300);
await check('element screenshot', async () => {
  const picture = Buffer.from(await of('sign_in', 'screenshot'), 'base64');
  return picture.readUInt32BE(16) === (await of('sign_in', 'rect')).width * 3;
});
await check('sign in', async () => {
  await to('sign_in', 'click');
  return isSeen("label == 'Welcome, alice'");
});
await check('actions', async () => {
  const before = await ask('GET', '/S/source');
  const touches = await counted('touches', () => ask('POST', '/S/actions', { actions: [
    { type: 'pointer', id: 'f', parameters: { pointerType: 'touch' }, actions: [
      { type: 'pointerMove', x: 200, y: 600 }, { type: 'pointerDown' }, { type: 'pause', duration: 50 },
      { type: 'pointerMove', x: 200, y: 300, duration: 200 }, { type: 'pointerUp' }] }] }));
  return touches === 1 && (await ask('GET', '/S/source')) !== before;
});
await check('mobile: tap', async () => (await counted('touches', () => mobile('tap', { x: 5, y: 120 }))) === 1);
await check('mobile: doubleTap', async () => (await counted('touches', () => mobile('doubleTap', { x: 5, y: 120 }))) === 2);
await check('mobile: touchAndHold', async () => (await counted('touches', () => mobile('touchAndHold', { x: 5, y: 120, duration: 1 }))) === 1);
await check('mobile: swipe', async () => (await counted('touches', () => mobile('swipe', { direction: 'up' }))) === 1);
await check('mobile: scroll', async () => {
  const before = await ask('GET', '/S/source');
  await mobile('scroll', { direction: 'up' });
  return (await ask('GET', '/S/source')) !== before;
});
await check('mobile: dragFromToForDuration', async () => {
  const drag = { duration: 0.5, fromX: 100, fromY: 500, toX: 100, toY: 300 };
  return (await counted('touches', () => mobile('dragFromToForDuration', drag))) === 1;
});
await check('mobile: pinch', async () => (await counted('touches', () => mobile('pinch', { scale: 0.5, velocity: -1 }))) === 2);
await check('mobile: launchApp, another', async () => {
  await mobile('launchApp', { bundleId: 'com.uixt.settings' });
  return (await inFront()) === 'com.uixt.settings';
});
await check('mobile: activateApp', async () => (await counted('launches', () => mobile('activateApp', { bundleId: 'com.uixt.shop' }))) === 0);
await check('mobile: activeAppInfo', async () => (await inFront()) === 'com.uixt.shop');
await check('mobile: queryAppState', async () => (await stateOf('com.uixt.settings')) === 3 && (await stateOf('com.uixt.shop')) === 4);
await check('mobile: terminateApp', async () => {
  const ended = await mobile('terminateApp', { bundleId: 'com.uixt.settings' });
  return ended === true && (await stateOf('com.uixt.settings')) === 1;
});
await check('mobile: pressButton', async () => {
  await mobile('pressButton', { name: 'home' });
  return (await inFront()) === 'com.apple.springboard';
});
await check('mobile: source json', async () => (await mobile('source', { format: 'json' })).type === 'Application');
await check('lock', async () => {
  await ask('POST', '/S/appium/device/lock', {});
  return mobile('isLocked');
});
await check('mobile: unlock', async () => {
  await mobile('unlock');
  return !(await mobile('isLocked'));
});
await check('url', async () => {
  await ask('POST', '/S/url', { url: 'uixt-trouble://permission' });
  return isSeen("type == 'XCUIElementTypeButton' AND name != 'Back'");
});
await check('alert text', async () => {
  await ask('POST', `/S/element/${await seen("type == 'XCUIElementTypeButton' AND name != 'Back'")}/click`, {});
  return until(async () => (await ask('GET', '/S/alert/text')).length > 5);
});
await check('mobile: alert buttons', async () => (await mobile('alert', { action: 'getButtons' })).length === 2);
await check('alert accept', async () => (await counted('alerts', () => ask('POST', '/S/alert/accept', {}))) === 1);
await check('no alert', () => ask('GET', '/S/alert/text').then(() => false, (error) => error.message.startsWith('no such alert')));
await check('landscape', async () => {
  await ask('POST', '/S/orientation', { orientation: 'LANDSCAPE' });
  return (await ask('GET', '/S/orientation')) === 'LANDSCAPE';
});
await check('landscape rect', async () => (await rect()).width === 844 && (await rect()).height === 390);
await check('portrait', async () => {
  await ask('POST', '/S/orientation', { orientation: 'PORTRAIT' });
  return (await rect()).width === 390;
});
await check('settings', async () => {
  await ask('POST', '/S/appium/settings', { settings: { snapshotMaxDepth: 40 } });
  return (await ask('GET', '/S/appium/settings')).snapshotMaxDepth === 40;
});
await check('mobile: batteryInfo', async () => (await mobile('batteryInfo')).level === 1);
await check('mobile: setSimulatedLocation', async () => {
  await mobile('setSimulatedLocation', { latitude: 1, longitude: 2 });
  const { latitude, longitude } = await mobile('getSimulatedLocation');
  return latitude === 1 && longitude === 2;
});
await check('mobile: deviceScreenInfo', async () => (await mobile('deviceScreenInfo')).scale === 3);
await check('delete', async () => {
  await ask('DELETE', '/S');
  return ask('GET', '/S/source').then(() => false, (error) => error.message.startsWith('invalid session id'));
});
console.log(JSON.stringify(outcome));
process.exit();
