/** `svc-auth user block`, `unblock`, `sign-out`, `set-roles` and `set-password`. */
import { UsageError } from './arguments.js';
import { bySystem, confirmation, onlyUser, userOf, yesOption, type Command } from './command.js';
import { endOf, nameOf } from './format.js';
import { readNewPassword } from './terminal.js';

export const blockCommand: Command = {
  isRecorded: true,
  synopsis: '<user> [options]',
  summary: 'Blocks a user: ends every session and refuses every sign-in.',
  details: 'API keys of the user are refused during the block. Replaces any other block.',
  options: {
    reason: { value: '<text>', help: 'For administrators; the user never sees it.' },
    until: { value: '<date>', help: 'When the block ends, such as 2030-12-31, in UTC. Default: never.' },
    ...yesOption,
  },
  plan: (args, report) => {
    const name = onlyUser(args);
    const block = { reason: args.text('reason'), until: args.date('until') };
    const confirmed = confirmation(args, report);
    return async (service) => {
      const user = await userOf(service, name);
      await confirmed(user, (who) => `Block ${who}? Every session ends.`);
      const blocked = await service.users.block(user.id, block, bySystem);
      report.print(blocked, `Blocked ${nameOf(blocked)} ${endOf({ until: block.until ?? null })}.`);
    };
  },
};

export const unblockCommand: Command = {
  isRecorded: true,
  synopsis: '<user> [options]',
  summary: 'Ends the block of a user.',
  details: 'Sessions that the block ended stay ended.',
  options: {},
  plan: (args, report) => {
    const name = onlyUser(args);
    return async (service) => {
      const { id } = await userOf(service, name);
      const user = await service.users.unblock(id, bySystem);
      report.print(user, `${nameOf(user)} is not blocked.`);
    };
  },
};

export const signOutCommand: Command = {
  isRecorded: true,
  synopsis: '<user> [options]',
  summary: 'Ends every session and token of a user.',
  options: yesOption,
  plan: (args, report) => {
    const name = onlyUser(args);
    const confirmed = confirmation(args, report);
    return async (service) => {
      const user = await userOf(service, name);
      await confirmed(user, (who) => `Sign ${who} out everywhere?`);
      await service.users.signOut(user.id, bySystem);
      report.print(user, `Signed ${nameOf(user)} out everywhere.`);
    };
  },
};

export const setRolesCommand: Command = {
  isRecorded: true,
  synopsis: '<user> (<role>... | --none) [options]',
  summary: 'Replaces the roles of a user.',
  options: { none: { help: 'Remove every role.' } },
  plan: (args, report) => {
    const [name, ...roles] = args.positionals;
    if (name === undefined) throw new UsageError('Name a user and the roles.');
    if (roles.length > 0 === args.has('none')) throw new UsageError('Name the roles, or pass --none.');
    return async (service) => {
      const { id } = await userOf(service, name);
      const user = await service.users.update(id, { roles }, bySystem);
      report.print(user, `Roles of ${nameOf(user)}: ${user.roles.join(', ') || 'none'}.`);
    };
  },
};

export const setPasswordCommand: Command = {
  isRecorded: true,
  synopsis: '<user> [options]',
  summary: 'Sets the password of a user and ends every session.',
  details:
    'Asks for the password without showing it, or reads it from standard input. Pending codes and links end, too.',
  options: yesOption,
  plan: (args, report) => {
    const name = onlyUser(args);
    const confirmed = confirmation(args, report);
    return async (service) => {
      const user = await userOf(service, name);
      await confirmed(user, (who) => `Set the password of ${who}? Every session ends.`);
      const password = await readNewPassword(report.terminal);
      const changed = await service.users.setPassword(user.id, password, bySystem);
      report.print(changed, `Set the password of ${nameOf(changed)}.`);
    };
  },
};
