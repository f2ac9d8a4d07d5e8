/** `svc-auth lockdown`: ends every session of all users, of an organization or of a user. */
import { internals } from '../core/internals.js';
import { isUuid } from '../domain/uuid.js';
import type { Service } from '../engine/service.js';
import { OrgError } from '../errors/catalog.js';
import { Arguments, describeOptions, UsageError, type Options } from './arguments.js';
import { asking, bySystem, commonOptions, Report, userOf, yesOption } from './command.js';
import { readEnvFile } from './env-file.js';
import { nameOf, printable } from './format.js';
import { withService } from './open-service.js';
import { guarded, printHelp, type Surroundings } from './run.js';

export const lockdownSummary = 'Ends every session of all users, of an organization or of a user.';

const options: Options = {
  org: { value: '<org>', help: 'The members of an organization: its id or slug.' },
  user: { value: '<user>', help: 'One user: an id, address, phone number or user name.' },
  'api-keys': { help: 'Revoke API keys too.' },
  ...yesOption,
  ...commonOptions,
};

const help = `Usage: svc-auth lockdown [--org <org> | --user <user>] [options]

${lockdownSummary} Every process refuses them at its next request.
Refresh tokens, trusted browsers, impersonations and the access of OAuth clients end too. New sign-ins are possible at once.

Options:
${describeOptions(options)}`;

interface Target {
  scope: { orgId?: string; userId?: string };
  /** For the question. */
  whom: string;
}

/** Runs `svc-auth lockdown <args>`. Returns the exit code. */
export async function runLockdown(args: string[], surroundings: Surroundings): Promise<number> {
  return guarded('lockdown', surroundings, async () => {
    const parsed = Arguments.parse(args, options);
    if (parsed.has('help')) return void printHelp(help, surroundings);
    if (parsed.positionals.length > 0) throw new UsageError('This command takes only options.');
    const [org, user] = [parsed.text('org'), parsed.text('user')];
    if (org !== undefined && user !== undefined) throw new UsageError('Pass --org or --user, not both.');
    const report = new Report(surroundings.terminal, parsed.has('json'));
    const confirmed = asking(parsed, report);
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, surroundings.env);
    await withService(parsed.text('config'), surroundings, async (service) => {
      const { scope, whom } = await targetOf(service, org, user);
      await confirmed(`End every session of ${whom}?`);
      const apiKeys = parsed.has('api-keys');
      const result = await service.lockdown({ ...scope, apiKeys }, bySystem);
      report.print(result, `Ended every session of ${whom}.`);
    });
  });
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
