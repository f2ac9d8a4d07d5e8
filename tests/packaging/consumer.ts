// Builds and packs the library as `npm publish` would, and installs the tarball into a project outside the repository.
// The dependencies are copied, not linked, so that the project resolves only what the manifest declares, as a user's
// project does.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

interface Manifest {
  name: string;
  version: string;
  description?: string;
  keywords?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

export class Consumer {
  readonly manifest = readManifest(repository);
  readonly folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-consumer-'));
  readonly packed = path.join(this.folder, 'node_modules', this.manifest.name);

  /** Installs packages from the registry. Only before the others, which npm would remove. */
  async installFromRegistry(packages: string[]): Promise<void> {
    this.write('package.json', '{}');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await execute('npm', ['install', ...options, ...packages], { cwd: this.folder });
  }

  /**
   * Packs and installs; `extraPackages` are those that the user adds (express, type packages). Without types, it takes a tenth of the time.
   */
  async install(extraPackages: string[], { types = true } = {}): Promise<void> {
    const tarball = await this.pack({ types });
    mkdirSync(this.packed, { recursive: true });
    await execute('tar', ['-xzf', tarball, '-C', this.packed, '--strip-components=1']);
    this.addPackages([...Object.keys(this.manifest.dependencies ?? {}), ...extraPackages]);
  }

  /** Builds and packs, and returns the path of the tarball. */
  async pack({ types = true } = {}): Promise<string> {
    const stage = path.join(this.folder, 'stage');
    mkdirSync(stage);
    await runOrThrow(repository, [
      repositoryFile('tsx/dist/cli.mjs'),
      path.join(repository, 'scripts/build.ts'),
      `${stage}/dist`,
      ...(types ? [] : ['--no-types']),
    ]);
    for (const file of [
      'package.json',
      'README.md',
      'LICENSE',
      'SECURITY.md',
      'CHANGELOG.md',
      'docs',
      'src',
    ]) {
      const from = path.join(repository, file);
      if (existsSync(from)) cpSync(from, path.join(stage, file), { recursive: true });
    }
    await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', this.folder], { cwd: stage });
    rmSync(stage, { recursive: true });
    return path.join(this.folder, `${this.manifest.name}-${this.manifest.version}.tgz`);
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), text);
  }

  /** Adds another project, in a folder below. */
  writeProject(folder: string, files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) this.write(path.join(folder, file), text);
  }

  /** Runs the command of the package in a folder. */
  command(folder: string, args: string[]): Promise<Output> {
    return node(path.join(this.folder, folder), [path.join(this.packed, 'dist/src/cli.js'), ...args]);
  }

  /** Adds a package that consists of declarations. */
  writePackage(name: string, declarations: string): void {
    const folder = path.join('node_modules', name);
    this.write(path.join(folder, 'package.json'), JSON.stringify({ name, types: 'index.d.ts' }));
    this.write(path.join(folder, 'index.d.ts'), `import type {} from 'express';\n${declarations}\n`);
  }

  /** Returns every file of the package, with forward slashes, sorted. */
  contents(): string[] {
    return readdirSync(this.packed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(this.packed, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'),
      )
      .sort();
  }

  run(file: string, args: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<Output> {
    return node(this.folder, [file, ...args], environment);
  }

  /** Builds a script and what it uses, except `external`, into one CommonJS file in the folder of the project. */
  async bundle(file: string, outfile: string, external: string[], banner = ''): Promise<void> {
    await build({
      absWorkingDir: this.folder,
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      external,
      logLevel: 'silent',
      banner: { js: banner },
    });
  }

  /** Builds an executable that contains Node.js and a CommonJS file, and runs it. */
  async runExecutable(file: string, environment: NodeJS.ProcessEnv): Promise<Output> {
    const program = path.join(this.folder, 'program');
    this.write(
      'sea.json',
      JSON.stringify({ main: file, output: 'sea.blob', disableExperimentalSEAWarning: true }),
    );
    copyFileSync(process.execPath, program);
    const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
    for (const args of [
      ['--experimental-sea-config', 'sea.json'],
      ['node_modules/postject/dist/cli.js', program, 'NODE_SEA_BLOB', 'sea.blob', '--sentinel-fuse', fuse],
    ])
      await runOrThrow(this.folder, args);
    return runProgram(program, this.folder, [], environment);
  }

  /**
   * Bundles a script with esbuild for Node and runs the one resulting file in a folder without any package.
   * @param external packages that stay outside, and are therefore missing.
   */
  async runBundled(file: string, format: 'esm' | 'cjs', external: string[] = []): Promise<Output> {
    const alone = mkdtempSync(path.join(tmpdir(), 'svc-auth-bundle-'));
    // CommonJS packages need a `require` for the modules of Node, which an ES module lacks.
    const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
    const bundle = path.join(alone, format === 'esm' ? 'app.mjs' : 'app.cjs');
    try {
      await build({
        absWorkingDir: this.folder,
        entryPoints: [file],
        outfile: bundle,
        bundle: true,
        platform: 'node',
        format,
        external,
        logLevel: 'silent',
        ...(format === 'esm' && { banner: { js: banner } }),
      });
      return await node(alone, [bundle]);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  }

  compile(project: string): Promise<Output> {
    return node(this.folder, [repositoryFile('typescript/bin/tsc'), '-p', project]);
  }

  /** Checks the types of a project in any folder. */
  compileAt(folder: string): Promise<Output> {
    return node(folder, [repositoryFile('typescript/bin/tsc'), '--noEmit']);
  }

  /** Returns the content of a file of the build, and of those that it loads, at once or with a call. */
  codeOf(entry: string): string[] {
    const texts = new Map([[entry, this.read(entry)]]);
    for (const [file, text] of texts)
      for (const [, next = ''] of text.matchAll(/(?:from |require\()["'](\.\.?\/[^"']+)["']/g)) {
        const loaded = path.posix.join(path.posix.dirname(file), next);
        texts.set(loaded, this.read(loaded));
      }
    return [...texts.values()];
  }

  /** Runs a script and returns the packages that it loaded. */
  async packagesLoadedBy(file: string): Promise<string[]> {
    const scripts = await this.scriptsLoadedBy(file);
    const names = scripts.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
    return [...new Set(names.filter((name) => name !== undefined))].sort();
  }

  /**
   * Runs a script and returns the addresses of the files that it loaded. V8's coverage report lists every script that ran, loaded by
   * `import`, `import()` or `require`; no loader hook covers all three.
   */
  async scriptsLoadedBy(file: string): Promise<string[]> {
    const report = mkdtempSync(path.join(this.folder, 'coverage-'));
    const output = await node(this.folder, [file], { NODE_V8_COVERAGE: report });
    if (output.code !== 0) throw new Error(output.stderr);
    return readdirSync(report).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(path.join(report, name), 'utf8')) as {
        result: { url: string }[];
      };
      return result.map(({ url }) => url);
    });
  }

  private read(file: string): string {
    return readFileSync(path.join(this.packed, 'dist', file), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  removePackage(name: string): void {
    rmSync(path.join(this.folder, 'node_modules', name), { recursive: true });
  }

  /** Copies the packages and their transitive dependencies, from where npm has installed them. */
  addPackages(names: string[]): void {
    const modules = path.join(this.folder, 'node_modules');
    const waiting = names.map((name) => ({ name, required: true }));
    for (const { name, required } of waiting) {
      const from = repositoryFile(name);
      const to = path.join(modules, name);
      if (existsSync(to)) continue;
      if (!existsSync(from)) {
        if (required) throw new Error(`${name} is not installed; run npm ci.`);
        continue;
      }
      cpSync(from, to, { recursive: true });
      for (const dependency of dependenciesWithin(from)) waiting.push({ name: dependency, required: false });
    }
  }
}

/** Returns the dependencies of a package and of the packages that npm has nested in it. */
function dependenciesWithin(folder: string): string[] {
  const nested = path.join(folder, 'node_modules');
  const packages = existsSync(nested)
    ? readdirSync(nested).flatMap((name) =>
        name.startsWith('@') ? readdirSync(path.join(nested, name)).map((each) => `${name}/${each}`) : [name],
      )
    : [];
  const { dependencies, optionalDependencies } = readManifest(folder);
  return [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    ...packages
      .map((name) => path.join(nested, name))
      .filter((each) => existsSync(path.join(each, 'package.json')))
      .flatMap(dependenciesWithin),
  ];
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

function repositoryFile(file: string): string {
  return path.join(repository, 'node_modules', file);
}

const node = (cwd: string, args: string[], environment?: NodeJS.ProcessEnv) =>
  runProgram(process.execPath, cwd, args, environment);

export async function runProgram(
  program: string,
  cwd: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Output> {
  const { NODE_OPTIONS: _options, NODE_ENV: _mode, NODE_V8_COVERAGE: _coverage, ...inherited } = process.env;
  try {
    const env = { ...inherited, ...environment };
    return { code: 0, ...(await execute(program, args, { cwd, env, timeout: 300_000 })) };
  } catch (error) {
    const failed = error as { code?: unknown; stdout?: string; stderr?: string };
    const code = typeof failed.code === 'number' ? failed.code : 1;
    return { code, stdout: failed.stdout ?? '', stderr: failed.stderr || String(error) };
  }
}

async function runOrThrow(cwd: string, args: string[]): Promise<void> {
  const output = await node(cwd, args);
  if (output.code !== 0) throw new Error(`${output.stdout}\n${output.stderr}`);
}
