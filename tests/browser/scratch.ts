import { mkdtemp } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { startBoundApplication } from './support/bound-application.js';
const app = await startBoundApplication(Number(process.env.TTL ?? 12_000));
const args = [...app.flags, '--no-sandbox', '--disable-background-networking', '--no-first-run', '--disable-quic'];
const open = async () => process.env.OTR ? (await chromium.launch({executablePath:'/usr/bin/chromium', args})).newContext() : chromium.launchPersistentContext(await mkdtemp('/tmp/bound-'), { executablePath: '/usr/bin/chromium', args });
await app.signUp('ada@acme.test', 'correct horse battery');
const context = await open();
const page = await context.newPage();
const cdp = await context.newCDPSession(page);
try { await cdp.send('Network.enableDeviceBoundSessions' as never, { enable: true } as never); } catch (e) { console.log(String(e)); }
cdp.on('Network.deviceBoundSessionEventOccurred' as never, (event: unknown) => console.log('EVENT', JSON.stringify(event)));
cdp.on('Network.deviceBoundSessionsAdded' as never, (event: unknown) => console.log('ADDED', JSON.stringify(event)));
await page.goto(`${app.origin}/sign-in`);
console.log(await page.title(), page.url());
await page.goto(`${app.origin}/empty`);
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const show = (from: number) => app.requests.slice(from).forEach((r) => console.log(r.method, r.path, r.status, JSON.stringify(Object.fromEntries(Object.entries(r.headers).filter(([n]) => /secure-session|sec-fetch|origin|^cookie/.test(n)).map(([n,v]) => [n, String(v).slice(0, 90)])))));
console.log(await page.evaluate(async () => (await fetch('/api/auth/password/login', { method: 'POST', headers: {'content-type':'application/json'}, body: JSON.stringify({ email: 'ada@acme.test', password: 'correct horse battery' }) })).status));
await sleep(3000);
show(0);
for (let i = 0; i < 3; i++) { const n = app.requests.length; await sleep(13_000); console.log(i, await page.evaluate(async () => (await (await fetch('/who')).text()))); show(n); }
const n = app.requests.length;
console.log('logout', await page.evaluate(async () => (await fetch('/api/auth/logout', { method: 'POST' })).status), await page.evaluate(async () => (await fetch('/who')).status), await page.evaluate(async () => (await fetch('/who')).status)); show(n);
await context.close(); await app.close(); process.exit(0);
