/** What a library adds to an application that has Express: packages, megabytes, and time to start. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from './rounds.js';

/** A library with everything that password sign-in needs. */
export interface Stack {
  label: string;
  /** What to install, as `npm install` takes it. */
  packages: readonly string[];
  /** Code that imports the packages. */
  load: string;
  /** Code that creates the library's object and connects to the database at `url`. */
  create: string;
}

export interface Weight {
  label: string;
  packages: number;
  megabytes: number;
  importMs: number;
  readyMs: number;
  /** Resident memory that import and creation add. */
  memoryMb: number;
}

const run = promisify(execFile);
const repository = fileURLToPath(new URL('..', import.meta.url));

/** The package as it would be published, on PostgreSQL. */
export async function ownStack(folder: string): Promise<Stack> {
  return {
    label: 'svc-auth',
    packages: [await packed(folder)],
    load: `const { createAuthRouter, createService, knexAdapter } = await import('svc-auth');`,
    create: creation(`knexAdapter({ client: 'pg', connection: url })`),
  };
}

/** Packs the package into a folder and returns the path of the archive. */
export async function packed(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: repository });
  // npm 11 prints an array, npm 12 an object by package name.
  const [{ filename }] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>) as [
    { filename: string },
  ];
  return join(folder, filename);
}

/** Returns code that starts a service with an adapter. */
export function creation(adapter: string): string {
  return `
      const service = createService({
        adapter: ${adapter},
        session: { secret: 'a benchmark secret, thirty-two bytes or more' },
        providers: { emailPassword: { sender: { send: async () => undefined } } },
      });
      createAuthRouter(service);
      await service.init();`;
}

/**
 * Installs each stack in its own folder, then starts all of them alternately.
 * @param urlOf creates the database of a stack.
 */
export async function weigh(
  stacksIn: (folder: string) => Promise<readonly Stack[]>,
  urlOf: (name: string) => Promise<string>,
  starts: number,
): Promise<Weight[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-weight-'));
  try {
    const express = await installedVersion('express');
    const [base, ...installed] = await installAll(folder, express, await stacksIn(folder), urlOf);
    const samples = await startAll(installed, starts);
    return installed.map(({ stack, packages, megabytes }, i) => {
      const of = (index: 0 | 1 | 2) => median((samples[i] ?? []).map((sample) => sample[index]));
      return {
        label: stack.label,
        packages: packages - (base?.packages ?? 0),
        megabytes: megabytes - (base?.megabytes ?? 0),
        importMs: of(0),
        readyMs: of(1),
        memoryMb: of(2),
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Installed {
  stack: Stack;
  cwd: string;
  url: string;
  packages: number;
  megabytes: number;
}

/** The first element is Express alone. */
async function installAll(
  folder: string,
  express: string,
  stacks: readonly Stack[],
  urlOf: (name: string) => Promise<string>,
): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const stack of [{ label: 'Express', packages: [], load: '', create: '' }, ...stacks]) {
    const cwd = await mkdtemp(join(folder, 'stack-'));
    await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['install', ...options, `express@${express}`, ...stack.packages], { cwd });
    const url = await urlOf(`weight_${installed.length}`);
    installed.push({ stack, cwd, url, ...(await sizeOf(join(cwd, 'node_modules'))) });
  }
  return installed;
}

async function sizeOf(modules: string): Promise<{ packages: number; megabytes: number }> {
  const lock = await readFile(join(modules, '.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, unknown> };
  const files = await readdir(modules, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return {
    packages: Object.keys(packages).length,
    megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6,
  };
}

type Sample = [importMs: number, readyMs: number, memoryMb: number];

/** Starts every stack in new processes. The first start only fills the caches and migrates. */
async function startAll(installed: readonly Installed[], starts: number): Promise<Sample[][]> {
  const samples: Sample[][] = installed.map(() => []);
  for (let round = 0; round <= starts; round += 1) {
    for (const [i, { stack, cwd, url }] of installed.entries()) {
      const script = `
        await import('express');
        const url = ${JSON.stringify(url)};
        const memory = process.memoryUsage().rss;
        const start = performance.now();
        ${stack.load}
        const loaded = performance.now();
        ${stack.create}
        const ready = performance.now();
        const used = (process.memoryUsage().rss - memory) / 1e6;
        process.stdout.write(JSON.stringify([loaded - start, ready - start, used]), () => process.exit());`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd });
      if (round > 0) samples[i]?.push(JSON.parse(stdout) as Sample);
    }
  }
  return samples;
}

async function installedVersion(name: string): Promise<string> {
  const manifest = await readFile(join(repository, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
