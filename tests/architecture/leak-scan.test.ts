// Checks that the leak scan covers every service of the tests and every process that they start.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow, parseSource, repository, visit, type SourceFile } from './source-graph.js';

const alone = 'not part of `npm test`, and a measurement that the scan would distort';
const itself = 'connects services and processes to the scan';
const started = 'runs in a process whose output its parent scans (watched-process.ts)';

/** Files that create a service without `watchedService`, with the reason. */
const services: Record<string, string> = {
  'support/leak-hooks.ts': itself,
  'support/app-process.ts': started,
  'support/mailed-links.ts': 'runs in the process of the browser tests, which print nothing of it',
  'support/account-application.ts': 'the same',
  'support/bound-application.ts': 'the same',
  'support/dpop-application.ts': 'the same',
  'support/names-application.ts': 'the same',
  'support/page-application.ts': 'the same',
  ...Object.fromEntries(
    ['authjs', 'better-auth', 'express-session', 'jwt', 'lucia', 'passport', 'uuid'].map((name) => [
      `moving/apps/${name}/moved.ts`,
      'an application in a process, whose responses its tests compare',
    ]),
  ),
  'http/dpop-requests.test.ts': 'its other service checks tokens of the first, and logs to a list',
  'moving/old-sessions/policies.test.ts': 'its services are refused',
  'support/importing-process.ts': 'imports in a process that prints nothing',
  'support/killed-recorder.ts': 'changes in a process that prints nothing until it is killed',
  'support/maintaining-process.ts': 'purges and rotates keys in a process that prints nothing',
  'support/watch-worker.ts': 'watches sessions in a process that prints nothing',
  'attack/faults/application.ts': started,
  'attack/soak/application.ts': alone,
  'attack/timing/server.ts': alone,
  'support/overview-application.ts': 'its service sends nothing and logs nothing; its pages are looked at',
  'doctor/example.test.ts': 'the doctor returns what it finds, which its tests compare as a whole',
  'doctor/good-application.ts': 'the same, and that no secret is in it',
  'doctor/health.test.ts': 'the same',
  'doctor/seeded-mistakes.long.test.ts': 'the same',
  'servers/pgbouncer-doctor.test.ts': 'the same',
  'moving/leaving.long.test.ts': 'an export returns everything that is secret',
  'providers/service.test.ts': 'is about createService itself',
  'contract/portable-schema.test.ts': 'its service is refused',
  'contract/serializable.long.test.ts': 'its service is refused',
  'contract/word-index.test.ts': 'has a database that no other test uses, with users whom no sign-in knows',
  'servers/nestjs/nest-11/src/app.ts': 'uses the package as it is built, whose services log nothing',
  'unit/brand.test.ts': 'none of its services is used',
  'unit/config-secrets.test.ts': 'most of its configurations are invalid, and none of its services is used',
  'unit/config.test.ts': 'most of its configurations are invalid, and none of its services is used',
  'unit/secrets-of-objects.test.ts': 'searches everything that it creates for secrets itself',
  'unit/session-cache.test.ts': 'none of its services is used',
  'unit/webauthn-config.test.ts': 'most of its configurations are invalid, and none of its services is used',
};

/** Files that start a process without `watchOutput` or `forkWatched`, with the reason. */
const processes: Record<string, string> = {
  'support/server-process.ts': 'PostgreSQL and MariaDB, which log to files and are not part of the library',
  'support/pgbouncer.ts': 'PgBouncer, which is not part of the library',
  'support/redis-server.ts': 'Redis, which is not part of the library',
  'support/replicated-postgres.ts': 'PostgreSQL, which is not part of the library',
  'support/command-line.ts': 'scans the whole output of the command after it has ended',
  'support/inner-process.ts': 'its tests scan themselves, or compare the whole output',
  'support/mcp-conformance.ts': 'its runner prints what it has received, and stores nothing',
  'e2e/mcp-example.test.ts': 'its example prints the codes of its mails, in place of a mail server',
  'support/nest-applications.ts':
    'the build, the compiler and the tests of the example, whose output its tests compare',
  'moving/support/application.ts': 'applications of old packages, which print only errors',
  'moving/support/commands.ts': 'the commands of the guides, whose output its tests compare',
  'support/load.ts': 'its processes know nothing of the tests',
  'attack/faults/session-cache.long.test.ts':
    'a process that receives no secret but its own and writes nothing',
  'servers/pgbouncer-doctor.test.ts': 'reads the version of PgBouncer',
  'packaging/consumer.ts': 'its tests compare the whole output with the expected one',
  'unit/totp-code.test.ts': 'oathtool, which is not part of the library',
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

/** Decided by the import, because a promisified function is called by another name. */
const startsProcesses = ({ imports }: SourceFile) =>
  imports.some(({ to, names }) => /child_process$/.test(to) && names.some((name) => starts.test(name)));
const starts = /^(?:fork|spawn|spawnSync|exec|execSync|execFile|execFileSync)$/;

function has(syntax: ts.Node, question: (node: ts.Node) => boolean): boolean {
  let found = false;
  visit(syntax, (node) => void (found ||= question(node)));
  return found;
}

const pathsOf = (found: SourceFile[]) => found.map((file) => file.path);

describe('The leak scan', () => {
  it('watches every service that a test creates, except in the listed files', () => {
    const makers = files.filter((file) => calls(file, /^(?:createService|Service)$/));
    expect(pathsOf(makers)).toEqual(Object.keys(services).sort());
  });

  it('reads the output of every process that a test starts, except in the listed files', () => {
    const unseen = files.filter((file) => startsProcesses(file) && !calls(file, /^watchOutput$/));
    expect(pathsOf(unseen)).toEqual(Object.keys(processes).sort());
  });
});
