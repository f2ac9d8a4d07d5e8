/**
 * `npm test`: runs Jest, or with one of the options below what the option names. Other arguments go to it: paths, `-t` and a name.
 */
import { spawnSync } from 'node:child_process';

interface Selection {
  /** Paths of Jest, unless arguments name some. */
  paths?: readonly string[];
  options?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** A program of its own instead of Jest. */
  program?: string;
}

const selections: Readonly<Record<string, Selection>> = {
  long: { paths: ['tests/.*[.]long[.]'] },
  servers: { paths: ['tests/servers'] },
  package: { paths: ['tests/packaging'] },
  storages: { paths: ['tests', 'tests/servers'], environment: { STORAGES: 'all' } },
  races: {
    paths: ['tests/attack/races'],
    environment: {
      STORAGES: process.env['STORAGES'] ?? 'all',
      RACE_ROUNDS: process.env['RACE_ROUNDS'] ?? '20',
    },
  },
  hostile: {
    paths: ['tests/http/postgres.test.ts', 'tests/contract/postgres.test.ts'],
    environment: { HOSTILE_DATABASE: '1' },
  },
  cached: {
    paths: [
      'tests/http/postgres.test.ts',
      'tests/attack/requirements',
      'tests/attack/pre-hijacking',
      'tests/providers',
      'tests/pro',
    ],
    environment: { SESSION_CACHE: '1', STORAGES: process.env['STORAGES'] ?? 'memory,PostgreSQL' },
  },
  faults: {
    paths: ['tests/attack/faults', 'tests/servers/redis-faults', 'tests/servers/mariadb-faults'],
    options: ['--runInBand'],
    environment: { FAULTS: 'long' },
  },
  timing: { program: 'tests/attack/timing/measure.ts' },
  fuzz: { program: 'tests/attack/fuzz/run.ts' },
  soak: { program: 'tests/attack/soak/index.ts' },
};

const given = process.argv.slice(2);
const [name] = given.filter((argument) => argument.startsWith('--') && argument.slice(2) in selections);
const { paths = [], options = [], environment, program }: Selection = selections[name?.slice(2) ?? ''] ?? {};
const args = given.filter((argument) => argument !== name);
const hasPath = args.some((argument) => argument.startsWith('tests'));
const files = hasPath ? [] : paths;
const command = program ? [program] : ['node_modules/jest/bin/jest.js', ...options, ...files];
const { status } = spawnSync(process.execPath, ['--import', 'tsx', ...command, ...args], {
  stdio: 'inherit',
  env: { ...process.env, ...environment },
});
process.exit(status ?? 1);
