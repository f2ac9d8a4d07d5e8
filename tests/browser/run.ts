/** `npm run test:e2e`: finds Chromium, starts the example, and runs tests/browser against it. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { startExample } from './support/example.js';

const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
if (!existsSync(chromium)) {
  console.error(`There is no Chromium at ${chromium}. These tests click through the example in a real browser.

  Debian, Ubuntu:  sudo apt-get install chromium
  elsewhere:       install Chromium or Chrome, then CHROMIUM_PATH=/path/to/it npm run test:e2e`);
  process.exit(1);
}

const folder = 'tests/browser';
const [only = ''] = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.browser.ts') && name.includes(only))
  .map((name) => `${folder}/${name}`);

const example = await startExample();
const tests = spawn(
  process.execPath,
  [
    '--import',
    'tsx',
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=1',
    ...(process.env['ONLY'] ? ['--test-name-pattern', process.env['ONLY']] : []),
    ...files,
  ],
  {
    env: { ...process.env, CHROMIUM_PATH: chromium, EXAMPLE_ORIGIN: example.origin },
    stdio: 'inherit',
  },
);
process.exitCode = await new Promise<number>((resolve) => {
  tests.once('exit', (code) => resolve(code ?? 1));
});
await example.stop();
