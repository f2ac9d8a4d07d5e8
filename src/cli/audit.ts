/** `svc-auth audit`: the audit log. */
import {
  attemptsOf,
  type AuditActor,
  type AuditFault,
  type AuditHead,
  type AuditRecord,
} from '../domain/audit.js';
import { isUuid } from '../domain/uuid.js';
import { readFile } from 'node:fs/promises';
import { UsageError, type Arguments } from './arguments.js';
import { noArguments, type Command } from './command.js';
import { formatTime, printable, toTable } from './format.js';

const listCommand: Command = {
  synopsis: '[options]',
  summary: 'Lists records, newest first.',
  options: {
    user: { value: '<id>', help: 'Only records about this user.' },
    org: { value: '<id>', help: 'Only records about this organization.' },
    actor: { value: '<id>', help: 'Only records in which this user, key or agent acted.' },
    action: { value: '<event>', help: 'Only this event, such as password.changed.' },
    failures: { help: 'Only attempts that were refused.' },
    since: { value: '<date>', help: 'Only records from then on, such as 2030-12-31, in UTC.' },
    limit: { value: '<number>', help: 'How many, up to 200. Default: 100.' },
  },
  plan: (args, report) => {
    noArguments(args);
    const limit = args.text('limit');
    const query = {
      userId: idOf(args, 'user'),
      orgId: idOf(args, 'org'),
      actorId: args.text('actor') ?? null,
      action: args.text('action') ?? null,
      outcome: args.has('failures') ? ('failure' as const) : null,
      from: args.date('since') ?? null,
      ...(limit !== undefined && { limit: Number(limit) }),
    };
    return async (service) => {
      const { records } = await service.audit.list(query);
      report.print(records, records.length === 0 ? 'There are no records.' : recordTable(records));
    };
  },
};

/** @throws UsageError */
function idOf(args: Arguments, name: string): string | null {
  const id = args.text(name);
  if (id !== undefined && !isUuid(id)) throw new UsageError(`--${name} must be an id.`);
  return id ?? null;
}

function recordTable(records: readonly AuditRecord[]): string {
  const rows = records.map((record) => [
    formatTime(record.at),
    actionText(record),
    record.userId ?? record.origin?.address ?? '-',
    record.actors.map(actorText).join(' <- '),
    record.origin?.ip ?? '-',
  ]);
  return toTable([['TIME (UTC)', 'ACTION', 'USER', 'BY', 'IP ADDRESS'], ...rows]);
}

function actionText(record: AuditRecord): string {
  const { action, reason } = record;
  const attempts = attemptsOf(record);
  const refused = reason === null ? action : `${action} (${reason})`;
  return attempts === 1 ? refused : `${refused}, ${attempts} attempts`;
}

const actorText = ({ id, type }: AuditActor) => (id === undefined ? type : `${type} ${id}`);

const verifyCommand: Command = {
  synopsis: '[options]',
  summary: 'Verifies every record and every seal, and names the first that was changed.',
  details: 'Ends with exit code 1 if something was changed. Seals what is not sealed first.',
  options: {
    heads: {
      value: '<file>',
      help: 'JSON lines of `svc-auth audit seal --json`, kept outside of the database.',
    },
  },
  plan: (args, report) => {
    noArguments(args);
    const file = args.text('heads');
    return async (service) => {
      const heads = file === undefined ? [] : await readHeads(file);
      const result = await service.audit.verify({ heads });
      const { fault, records, seals, unsealed } = result;
      const checked = `${records} records in ${seals} seals, and ${unsealed} without a seal`;
      report.print(result, fault ? faultText(fault) : `The audit log is intact: ${checked}.`);
      if (fault) throw new Error('The audit log was changed.');
    };
  },
};

/** @throws UsageError */
async function readHeads(file: string): Promise<AuditHead[]> {
  try {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => {
      const { seal, records, mac } = JSON.parse(line) as AuditHead;
      return { seal, records, mac };
    });
  } catch {
    throw new UsageError('--heads must name a file with a head in JSON on each line.');
  }
}

function faultText({ kind, recordId, seal }: AuditFault): string {
  const place = seal === null ? '' : ` of seal ${seal}`;
  if (recordId !== null) return `Record ${printable(recordId)}${place} was ${kind}.`;
  return seal === null ? `The state of the chain was ${kind}.` : `Seal ${seal} was ${kind}.`;
}

const sealCommand: Command = {
  synopsis: '[options]',
  summary: 'Seals what is not sealed, and prints the head of the chain, to be kept elsewhere.',
  details: 'The service seals by itself.',
  options: {},
  plan: (args, report) => {
    noArguments(args);
    return async (service) => {
      await service.audit.seal();
      const head = await service.audit.head();
      if (!head) return report.print(null, 'There are no records.');
      report.line(head, `Seal ${head.seal}, ${head.records} records: ${head.mac}`);
    };
  },
};

const tailCommand: Command = {
  synopsis: '[options]',
  summary: 'Prints records as JSON lines, oldest first, and waits for more.',
  details: 'No record is left out. Every line has a cursor, with which the next call continues.',
  options: {
    after: { value: '<cursor>', help: 'Continue behind the record with this cursor.' },
    'no-follow': { help: 'End after the records that exist.' },
  },
  plan: (args, { terminal }) => {
    noArguments(args);
    const after = args.text('after') ?? null;
    const follow = !args.has('no-follow');
    return async (service) => {
      const stop = new AbortController();
      const end = () => stop.abort();
      process.once('SIGINT', end);
      try {
        for await (const record of service.audit.tail({ after, follow, signal: stop.signal }))
          terminal.output.write(`${JSON.stringify(record)}\n`);
      } finally {
        process.off('SIGINT', end);
      }
    };
  },
};

export const auditCommands: Record<string, Command> = {
  list: listCommand,
  verify: verifyCommand,
  seal: sealCommand,
  tail: tailCommand,
};
