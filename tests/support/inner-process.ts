/** Runs Node.js, or Jest on files of tests/inner, with other packages than those that the tests of this process have loaded. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const repository = path.resolve(import.meta.dirname, '../..');
const hook = pathToFileURL(path.join(repository, 'tests/support/replace-packages.mjs')).href;

/** The name of a package, and of the one that replaces it: null, as if it were not installed. */
type Packages = Readonly<Record<string, string | null>>;

export interface InnerOutput {
  /** Null if it was killed. */
  code: number | null;
  out: string;
  err: string;
}

export function runNode(args: readonly string[], packages: Packages = {}): Promise<InnerOutput> {
  const options = {
    cwd: repository,
    env: { ...process.env, REPLACED_PACKAGES: JSON.stringify(packages) },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', '--import', hook, ...args],
      options,
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}

interface InnerFile {
  name: string;
  status: string;
  /** Why the file itself failed, or all messages of its tests. */
  message: string;
  assertionResults: { title: string; status: string; failureMessages: string[] }[];
}

/** @param pattern part of the path of the files, which begins with tests/inner. @returns the result of each file, by its path from there. */
export async function runInnerTests(pattern: string, packages?: Packages): Promise<Map<string, InnerFile>> {
  const { out, err } = await runNode(['node_modules/jest/bin/jest.js', pattern, '--json'], packages);
  if (!out.startsWith('{')) throw new Error(`Jest did not run.\n${err}`);
  const { testResults } = JSON.parse(out) as { testResults: InnerFile[] };
  const folder = path.join(repository, pattern);
  return new Map(testResults.map((file) => [path.relative(folder, file.name), file]));
}
