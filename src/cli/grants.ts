/** `svc-auth grants`: prints the statements that give roles of the database what they need, and nothing else. */
import { UsageError } from './arguments.js';
import { withoutInit } from './open-service.js';
import type { Surroundings } from './run.js';
import { schemaOf } from './schema-of.js';
import { runTask, type TaskCommand } from './task.js';

export const grantsSummary =
  'Prints the grants that keep password hashes and secrets from the role of the application.';

const command: TaskCommand = {
  name: 'grants',
  help: `Usage: svc-auth grants [--role <role>] [--app-role <role>] [--app-owner <role>] [options]

${grantsSummary}
Changes nothing: run the statements as the owner of the tables. For PostgreSQL, MariaDB and MySQL.`,
  options: {
    role: { value: '<role>', help: 'The role of a service that calls init({ migrate: false }).' },
    'app-role': {
      value: '<role>',
      help: 'The role of the application, which reads users and refers to them.',
    },
    'app-owner': {
      value: '<role>',
      help: 'The role that creates the tables of the application, with foreign keys to users.',
    },
  },
  ...withoutInit,
  plan: (args, report) => {
    const roles = {
      service: args.text('role'),
      application: args.text('app-role'),
      owner: args.text('app-owner'),
    };
    if (Object.values(roles).every((role) => role === undefined))
      throw new UsageError('Pass --role, --app-role or --app-owner.');
    return async (opened) => {
      const grants = await schemaOf(opened).grants(roles);
      const { statements, notes } = grants;
      const lines = [...notes.map((note) => `-- ${note}`), ...statements.map((statement) => `${statement};`)];
      report.print(grants, lines.join('\n'));
      return 0;
    };
  },
};

/** Runs `svc-auth grants <args>`. Returns the exit code. */
export const runGrants = (args: string[], surroundings: Surroundings) => runTask(command, args, surroundings);
