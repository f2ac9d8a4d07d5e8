/**
 * Runs the tasks of a script of package.json, all of them or those that arguments name: `npm run lint`, `npm run lint -- api`,
 * `npm run docs -- openapi`. Two run at the same time. The output of each is printed when it ends.
 */
import { spawn } from 'node:child_process';

const formatted = '**/*.{ts,mts,cts,js,mjs,cjs}';
const spelled = '{src,testing,docs,tests,example-app,bench,scripts}/**/*.{ts,md,html,css}';

/** Of each script, from the slowest: the commands by name. */
const scripts: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  lint: {
    code: ['eslint', '.', '--max-warnings', '0'],
    api: ['tsx', 'scripts/report-api.ts', '--check'],
    format: ['prettier', '--check', formatted],
    spelling: ['cspell', '--no-progress', '--quiet', spelled, '*.md', '.github/**'],
    language: ['tsx', 'scripts/check-language.ts'],
    unused: ['knip'],
    reference: ['tsx', 'scripts/generate-reference.ts', '--check'],
    translations: ['tsx', 'scripts/translations.ts'],
    requirements: ['tsx', 'scripts/generate-security-table.ts', '--check'],
  },
  docs: {
    api: ['tsx', 'scripts/report-api.ts'],
    configuration: ['tsx', 'scripts/generate-configuration-docs.ts'],
    openapi: ['tsx', 'scripts/generate-openapi.ts'],
    reference: ['tsx', 'scripts/generate-reference.ts'],
    security: ['tsx', 'scripts/generate-security-table.ts'],
  },
};

const [script = '', ...names] = process.argv.slice(2);
const tasks = scripts[script];
if (!tasks) throw new Error(`Unknown script: ${script}.`);
const unknown = names.filter((name) => !(name in tasks));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. Name some of ${Object.keys(tasks).join(', ')}.`);

const waiting = Object.entries(tasks).filter(([name]) => names.length === 0 || names.includes(name));

async function runNext(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, [command = '', ...args]] = next;
    const { code, output } = await run(command, args);
    console.log(`${script} ${name}: ${code === 0 ? 'passed' : 'failed'}`);
    if (output !== '') process.stdout.write(output);
    if (code !== 0) process.exitCode = 1;
  }
}

/** npm puts the programs of node_modules on the path. */
async function run(
  command: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: false });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += String(data)));
  child.stderr.on('data', (data: Buffer) => (output += String(data)));
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, output };
}

await Promise.all([runNext(), runNext()]);
