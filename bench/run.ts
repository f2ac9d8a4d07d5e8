/** `npm run bench`: runs a benchmark, by default the comparison with bare Express, after a build if it measures the built package. */
import { spawnSync } from 'node:child_process';

const benchmarks: Readonly<Record<string, { file: string; built?: true; options?: readonly string[] }>> = {
  compare: { file: 'bench/index.ts', built: true, options: ['--tsconfig', 'bench/tsconfig.built.json'] },
  embedded: { file: 'bench/embedded.ts', built: true },
  server: { file: 'bench/express-server.ts' },
  pages: { file: 'bench/page-flood.ts' },
  visit: { file: 'tests/browser/first-visit.ts' },
  scale: { file: 'bench/scale.ts' },
  users: { file: 'bench/user-lists.ts' },
  calls: { file: 'bench/calls.ts' },
  import: { file: 'bench/import.ts' },
  watch: { file: 'bench/watch.ts' },
};

const [first = '', ...rest] = process.argv.slice(2);
const named = benchmarks[first];
if (!named && first !== '' && !first.startsWith('-'))
  throw new Error(`Unknown benchmark: ${first}. Name one of ${Object.keys(benchmarks).join(', ')}.`);
const { file, built, options = [] } = named ?? benchmarks['compare']!;
const args = named ? rest : process.argv.slice(2);

/** npm puts the programs of node_modules on the path. */
function run(command: string, ...commandArgs: readonly string[]): void {
  const { status } = spawnSync(command, commandArgs, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (built) run('npm', 'run', 'build', '--silent');
run('tsx', ...options, file, ...args);
