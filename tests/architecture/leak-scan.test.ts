// That nothing goes by the scan for leaks: the services of tests, and the processes that they start.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow, parseSource, repository, visit, type SourceFile } from './source-graph.js';

const alone = 'not part of `npm test`, and measures itself: a scan would be what it measures';
const itself = 'is what brings services and processes to the scan';
const started = 'runs in a process whose output its parent scans (watched-process.ts)';

/** Who makes a service without `watchedService`, and why. */
const services: Record<string, string> = {
  'support/leak-hooks.ts': itself,
  'support/app-process.ts': started,
  'attack/faults/application.ts': started,
  'attack/soak/application.ts': alone,
  'attack/timing/server.ts': alone,
  'providers/service.test.ts': 'is about createService itself',
  'unit/config.test.ts': 'most of its configurations are wrong, and none of its services is used',
  'unit/secrets-of-objects.test.ts': 'searches everything that it makes for secrets itself',
  'unit/webauthn-config.test.ts': 'most of its configurations are wrong, and none of its services is used',
};

/** Who starts a process without `watchOutput` or `forkWatched`, and why. */
const processes: Record<string, string> = {
  'support/postgres-server.ts': 'PostgreSQL, which logs to a file and is no part of the library',
  'support/pgbouncer.ts': 'PgBouncer, which is not part of the library',
  'pro/cli.test.ts': 'looks at all that the command wrote, when it has ended',
  'packaging/consumer.ts': 'its tests compare all that is written with what is to be written',
  'unit/totp-code.test.ts': 'oathtool, which is no part of the library',
  'browser/run.ts': 'the runner of the tests themselves',
  'attack/fuzz/run.ts': 'the runner of the tests themselves',
  'attack/soak/index.ts': alone,
  'attack/timing/measure.ts': alone,
};

const folder = path.join(repository, 'tests');
const files = filesBelow(folder, /\.ts$/).map((file) =>
  parseSource(file, readFileSync(path.join(folder, file), 'utf8')),
);

const calls = ({ syntax }: SourceFile, names: RegExp) =>
  has(syntax, (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
    return ts.isIdentifier(node.expression) && names.test(node.expression.text);
  });

/** By the import: what is promisified is called under another name. */
const startsProcesses = ({ imports }: SourceFile) =>
  imports.some(({ to, names }) => /child_process$/.test(to) && names.some((name) => starts.test(name)));
const starts = /^(?:fork|spawn|spawnSync|exec|execSync|execFile|execFileSync)$/;

function has(syntax: ts.Node, question: (node: ts.Node) => boolean): boolean {
  let found = false;
  visit(syntax, (node) => void (found ||= question(node)));
  return found;
}

const pathsOf = (found: SourceFile[]) => found.map((file) => file.path);

describe('The scan for leaks', () => {
  it('sees every service that a test makes, but those that are named here', () => {
    const makers = files.filter((file) => calls(file, /^(?:createService|Service)$/));
    expect(pathsOf(makers)).toEqual(Object.keys(services).sort());
  });

  it('sees what every process writes that a test starts, but those that are named here', () => {
    const unseen = files.filter((file) => startsProcesses(file) && !calls(file, /^watchOutput$/));
    expect(pathsOf(unseen)).toEqual(Object.keys(processes).sort());
  });
});
