/** `npm run test:e2e`: finds Chromium and runs tests/browser. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
if (!existsSync(chromium)) {
  console.error(`There is no Chromium at ${chromium}. These tests click through the pages in a real browser.

  Debian, Ubuntu:  sudo apt-get install chromium
  elsewhere:       install Chromium or Chrome, then CHROMIUM_PATH=/path/to/it npm run test:e2e`);
  process.exit(1);
}

const folder = 'tests/browser';
const [only = ''] = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.browser.ts') && name.includes(only))
  .map((name) => `${folder}/${name}`);

/** Runs the tests of a file. Returns whether all passed. */
async function passes(file: string): Promise<boolean> {
  const reporter = ['--test-reporter=spec', '--test-concurrency=1'];
  const pattern = process.env['ONLY'] ? ['--test-name-pattern', process.env['ONLY']] : [];
  const tests = spawn(process.execPath, ['--import', 'tsx', '--test', ...reporter, ...pattern, file], {
    env: { ...process.env, CHROMIUM_PATH: chromium },
    stdio: 'inherit',
  });
  return new Promise((resolve) => void tests.once('exit', (code) => resolve(code === 0)));
}

const failed: string[] = [];
for (const file of files) if (!(await passes(file))) failed.push(file);
console.log(failed.length > 0 ? `Failed: ${failed.join(', ')}` : `${files.length} files passed.`);
process.exitCode = failed.length > 0 ? 1 : 0;
