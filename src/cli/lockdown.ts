/** `svc-auth lockdown`: ends every session of all users, of an organization or of a user. */
import { internals } from '../core/internals.js';
import { isUuid } from '../domain/uuid.js';
import type { Service } from '../engine/service.js';
import { OrgError } from '../errors/catalog.js';
import { UsageError } from './arguments.js';
import { asking, bySystem, userOf, yesOption } from './command.js';
import { nameOf, printable } from './format.js';
import type { Surroundings } from './run.js';
import { runTask, type TaskCommand } from './task.js';

export const lockdownSummary = 'Ends every session of all users, of an organization or of a user.';

const command: TaskCommand = {
  isRecorded: true,
  name: 'lockdown',
  help: `Usage: svc-auth lockdown [--org <org> | --user <user>] [options]

${lockdownSummary} Every process refuses them at its next request.
Refresh tokens, trusted browsers, impersonations and the access of OAuth clients end too. New sign-ins are possible at once.`,
  options: {
    org: { value: '<org>', help: 'The members of an organization: its id or slug.' },
    user: { value: '<user>', help: 'One user: an id, address, phone number or user name.' },
    'api-keys': { help: 'Revoke API keys too.' },
    ...yesOption,
  },
  plan: (args, report) => {
    const [org, user, apiKeys] = [args.text('org'), args.text('user'), args.has('api-keys')];
    if (org !== undefined && user !== undefined) throw new UsageError('Pass --org or --user, not both.');
    const confirmed = asking(args, report);
    return async (service) => {
      const { scope, whom } = await targetOf(service, org, user);
      await confirmed(`End every session of ${whom}?`);
      const result = await service.lockdown({ ...scope, apiKeys }, bySystem);
      report.print(result, `Ended every session of ${whom}.`);
      return 0;
    };
  },
};

/** Runs `svc-auth lockdown <args>`. Returns the exit code. */
export const runLockdown = (args: string[], surroundings: Surroundings) =>
  runTask(command, args, surroundings);

interface Target {
  scope: { orgId?: string; userId?: string };
  /** For the question. */
  whom: string;
}

async function targetOf(
  service: Service,
  org: string | undefined,
  user: string | undefined,
): Promise<Target> {
  if (user !== undefined) {
    const record = await userOf(service, user);
    return { scope: { userId: record.id }, whom: nameOf(record) };
  }
  if (org === undefined) return { scope: {}, whom: 'everybody' };
  const { orgs } = service[internals].storage;
  const found = await (isUuid(org) ? orgs?.findById(org) : orgs?.findBySlug(org));
  if (!found) throw new OrgError('The organization does not exist.');
  return { scope: { orgId: found.id }, whom: `the members of ${printable(found.name)}` };
}
