/** `svc-auth migrate`: reads, previews and changes the schema. */
import type { Service } from '../engine/service.js';
import type { SchemaPlan, SchemaStatus, StatementLock } from '../storage/schema-administration.js';
import { UsageError } from './arguments.js';
import type { Report } from './command.js';
import { withoutInit } from './open-service.js';
import { guarded, printHelp, type Surroundings } from './run.js';
import { schemaOf } from './schema-of.js';
import { runTask, type TaskCommand } from './task.js';

export const migrateSummary =
  'Shows, previews and applies the changes of the schema that this release needs.';

const help = `Usage: svc-auth migrate <command> [options]

  svc-auth migrate status  Prints which migrations are applied and missing. Changes nothing.
  svc-auth migrate plan    Prints the statements that "up" would run, with their locks. Changes nothing.
  svc-auth migrate up      Applies what is missing, as init() does. Several processes can run it at once.

The schema is that of the adapter of --config <file>, or of DATABASE_URL.`;

const statusCommand: TaskCommand = {
  name: 'migrate status',
  help: `Usage: svc-auth migrate status [options]

Prints which migrations are applied and missing. Changes nothing.
Exit code: 0 the schema is that of this release; 1 failed; 2 wrong usage; 3 something is missing; 4 a newer release has changed the schema.`,
  options: {},
  ...withoutInit,
  plan: (_args, report) => async (service) => {
    const status = await schemaOf(service).status();
    report.print({ state: stateOf(status), ...status }, statusText(status));
    return { current: 0, behind: 3, ahead: 4 }[stateOf(status)];
  },
};

function stateOf({ missing, missingIndexes, unknown }: SchemaStatus): 'current' | 'behind' | 'ahead' {
  if (missing.length > 0) return 'behind';
  // A newer release may have replaced indexes.
  if (unknown.length > 0) return 'ahead';
  return missingIndexes.length > 0 ? 'behind' : 'current';
}

function statusText(status: SchemaStatus): string {
  const { applied, missing, missingIndexes, unknown } = status;
  const summaries = {
    current: 'The schema is that of this release.',
    behind: 'The schema is behind: run "svc-auth migrate up".',
    ahead: 'A newer release has changed the schema. The release before it works on it.',
  };
  return [
    ...applied.map((name) => `applied  ${name}`),
    ...missing.map((name) => `missing  ${name}`),
    ...(missing.length > 0 ? [] : missingIndexes.map((name) => `missing  index ${name}`)),
    ...unknown.map((id) => `ahead    ${id}`),
    summaries[stateOf(status)],
  ].join('\n');
}

const planCommand: TaskCommand = {
  name: 'migrate plan',
  help: `Usage: svc-auth migrate plan [options]

Prints the statements that "svc-auth migrate up" would run, as SQL with comments that name their locks. Changes nothing.
Exit code: 0 printed; 1 failed; 2 wrong usage.`,
  options: {},
  ...withoutInit,
  plan: (_args, report) => async (service) => {
    const plan = await schemaOf(service).plan();
    report.print(plan, planText(plan));
    return 0;
  },
};

function planText({ statements, needs, lacks }: SchemaPlan): string {
  if (statements.length === 0) return '-- Nothing to do: the schema is that of this release.';
  const lines = ['-- The role that runs these statements needs:', ...needs.map((need) => `--   ${need}`)];
  if (lacks && lacks.length > 0)
    lines.push('-- The role of this connection lacks:', ...lacks.map((lack) => `--   ${lack}`));
  let step = '';
  let isOpen = false;
  const close = () => {
    if (isOpen) lines.push('commit;');
    isOpen = false;
  };
  for (const statement of statements) {
    if (statement.step !== step) {
      close();
      step = statement.step;
      lines.push('', `-- ${step}`);
      if (statement.inTransaction) lines.push('begin;');
      isOpen = statement.inTransaction;
    }
    lines.push(...statement.locks.map(lockText), `${statement.sql.trim()};`);
  }
  close();
  return lines.join('\n');
}

const lockText = ({ table, mode, effect }: StatementLock) => `-- ${mode} on ${table}: ${effect}.`;

const upCommand: TaskCommand = {
  name: 'migrate up',
  help: `Usage: svc-auth migrate up [options]

Applies the migrations that are missing, and creates missing indexes while their tables are in use. Run it again if it is ended.
Exit code: 0 the schema is that of this release, or newer; 1 failed; 2 wrong usage.`,
  options: {},
  ...withoutInit,
  plan: (_args, report) => (service) => applyAll(service, report),
};

async function applyAll(service: Service, report: Report): Promise<number> {
  const schema = schemaOf(service);
  const { statements } = await schema.plan();
  const total = new Set(statements.map(({ step }) => step)).size;
  const steps: string[] = [];
  await schema.apply({
    warn: (_fields, message) => report.remark(message),
    report(step) {
      steps.push(step);
      // Another process may do some of them.
      report.remark(`[${steps.length}/${Math.max(total, steps.length)}] ${step}`);
    },
  });
  report.print(
    { applied: steps },
    steps.length === 0 ? 'Nothing to do.' : 'The schema is that of this release.',
  );
  return 0;
}

const commands: Record<string, TaskCommand> = { status: statusCommand, plan: planCommand, up: upCommand };

/** Runs `svc-auth migrate <args>`. Returns the exit code. */
export async function runMigrate(
  [name = '', ...args]: string[],
  surroundings: Surroundings,
): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return printHelp(help, surroundings);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return runTask(command, args, surroundings);
  return guarded('migrate', surroundings, async () => {
    throw new UsageError(
      name === '' ? 'Name a command: status, plan or up.' : `Unknown command "migrate ${name}".`,
    );
  });
}
