/** `svc-auth oauth-clients`: the clients of the OAuth server. */
import type { RegisteredClient } from '../domain/registered-client.js';
import type { Service } from '../engine/service.js';
import { clientsOf } from '../oauth-server/clients-alone.js';
import { UsageError, type Arguments } from './arguments.js';
import { asking, bySystem, noArguments, yesOption, type Command } from './command.js';
import { formatTime, printable, toTable } from './format.js';

const nameOf = ({ id, name }: RegisteredClient) => `${printable(name)} (${printable(id)})`;

const listCommand: Command = {
  synopsis: '[options]',
  summary: 'Lists all clients, oldest first.',
  details: 'Those of the kind "dynamic" have registered themselves.',
  options: {},
  plan: (args, report) => {
    noArguments(args);
    return async (service) => {
      const clients = await clientsOf(service).list();
      report.print(clients, clients.length === 0 ? 'There are no clients.' : clientTable(clients));
    };
  },
};

function clientTable(clients: readonly RegisteredClient[]): string {
  const rows = clients.map(({ confidential, createdAt, id, kind, name, redirectUris, secrets }) => [
    id,
    name,
    kind,
    confidential ? secrets.map((secret) => secret.id).join(',') : '-',
    redirectUris.join(','),
    formatTime(createdAt),
  ]);
  return toTable([['ID', 'NAME', 'KIND', 'SECRETS', 'REDIRECT ADDRESSES', 'CREATED (UTC)'], ...rows]);
}

const createCommand: Command = {
  isRecorded: true,
  synopsis: '--name <name> --redirect-uri <url> [options]',
  summary: 'Registers a client.',
  details: 'A secret is printed once: only its digest is stored.',
  options: {
    name: { value: '<name>', help: 'As users read it when the client asks for access.' },
    'redirect-uri': { value: '<url>', multiple: true, help: 'An exact address. Repeat it for several.' },
    uri: { value: '<url>', help: 'The address of its page.' },
    confidential: { help: 'It runs on a server and keeps a secret.' },
  },
  plan: (args, report) => {
    noArguments(args);
    const [name, uri, redirectUris] = [args.text('name'), args.text('uri'), args.list('redirect-uri')];
    if (name === undefined || redirectUris.length === 0)
      throw new UsageError('Pass --name and --redirect-uri.');
    const input = {
      ...{ name, redirectUris, confidential: args.has('confidential') },
      ...(uri !== undefined && { uri }),
    };
    return async (service) => {
      const created = await clientsOf(service).create(input, bySystem);
      report.print(created, `Registered ${nameOf(created.client)}.${secretLine(created.secret)}`);
    };
  },
};

const secretLine = (secret: string | null) =>
  secret === null ? '' : `\nSecret, which is not shown again: ${secret}`;

const removeCommand: Command = {
  isRecorded: true,
  synopsis: '<client> [options]',
  summary: 'Removes a client, and everything that users have given it.',
  options: yesOption,
  plan: (args, report) => {
    const [id] = named(args, 'client');
    const confirmed = asking(args, report);
    return async (service) => {
      const client = await existing(service, id);
      await confirmed(`Remove ${nameOf(client)}? Everything that users have given it ends.`);
      if (!(await clientsOf(service).remove(id, bySystem))) throw unknownClient();
      report.print({ removed: client }, `Removed ${nameOf(client)}.`);
    };
  },
};

const addSecretCommand: Command = {
  isRecorded: true,
  synopsis: '<client> [options]',
  summary: 'Adds a second secret to a client that keeps one.',
  details: 'Both are accepted until one of them is removed. It is printed once: only its digest is stored.',
  options: {},
  plan: (args, report) => {
    const [id] = named(args, 'client');
    return async (service) => {
      const added = await clientsOf(service).addSecret(id, bySystem);
      if (!added) throw unknownClient();
      report.print(added, `Added a secret to ${nameOf(added.client)}.${secretLine(added.secret)}`);
    };
  },
};

const removeSecretCommand: Command = {
  isRecorded: true,
  synopsis: '<client> <secret id> [options]',
  summary: 'Removes a secret of a client that has two: it is refused at once.',
  options: yesOption,
  plan: (args, report) => {
    const [id, secretId] = named(args, 'client', 'secret id');
    const confirmed = asking(args, report);
    return async (service) => {
      const client = await existing(service, id);
      await confirmed(`Remove secret ${printable(secretId)} of ${nameOf(client)}? It is refused at once.`);
      if (!(await clientsOf(service).removeSecret(id, secretId, bySystem)))
        throw new Error('The client has no such secret.');
      report.print({ client, removed: secretId }, `Removed the secret of ${nameOf(client)}.`);
    };
  },
};

/** @throws UsageError unless there is one argument for each name. */
function named<const Names extends readonly string[]>(
  { positionals }: Arguments,
  ...names: Names
): { [Index in keyof Names]: string } {
  // Not repeated in the message: it may be a secret.
  if (positionals.length !== names.length) throw new UsageError(`Pass: <${names.join('> <')}>.`);
  return positionals as unknown as { [Index in keyof Names]: string };
}

async function existing(service: Service, id: string): Promise<RegisteredClient> {
  const client = await clientsOf(service).get(id);
  if (!client) throw unknownClient();
  return client;
}

const unknownClient = () => new Error('There is no such client.');

export const clientCommands: Record<string, Command> = {
  list: listCommand,
  create: createCommand,
  remove: removeCommand,
  'add-secret': addSecretCommand,
  'remove-secret': removeSecretCommand,
};
