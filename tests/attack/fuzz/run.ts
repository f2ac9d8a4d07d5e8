/**
 * `npm test -- --fuzz`: tests the properties of tests/attack/fuzz for minutes, each for FUZZ_SECONDS, from a random seed that is
 * printed. Arguments after `--` go to the test runner: a file, or `-t` and a name.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const { FUZZ_SEED = String(randomInt(2 ** 31)), FUZZ_SECONDS, FUZZ_RUNS, FUZZ_PATH } = process.env;
const isTimed = FUZZ_RUNS === undefined && FUZZ_PATH === undefined;
const limits = isTimed ? { FUZZ_SECONDS: FUZZ_SECONDS ?? '5' } : {};
const chosen = process.argv.slice(2);
const files = chosen.some((each) => !each.startsWith('-')) ? chosen : ['tests/attack/fuzz', ...chosen];

process.stdout.write(`FUZZ_SEED=${FUZZ_SEED} ${isTimed ? `FUZZ_SECONDS=${limits.FUZZ_SECONDS}` : ''}\n`);
const { status } = spawnSync('npm', ['test', '--', ...files], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED, ...limits },
});
process.stdout.write(`FUZZ_SEED=${FUZZ_SEED}\n`);
process.exit(status ?? 1);
