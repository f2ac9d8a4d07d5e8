/** Reads the accounts that have something of the records of an import. */
import type { AdministeredUser } from '../../../domain/user-record.js';
import { usernameKey } from '../../../domain/username.js';
import type { ImportRecord } from '../../../storage/import-repository.js';
import { keptIdsOf, oldIdOf, spellingsOf, type KnownAccounts } from '../../../storage/import-plan.js';
import type { Queryable } from '../database.js';
import { toAdministered, userColumns } from '../users.js';
import { inLists } from './insert-rows.js';

const usersBy = (column: string) => `select ${userColumns} from svc_users u where u.${column} in (:values*)`;
const byId = usersBy('id');
const byExternalId = usersBy('external_id');
const byEmail = usersBy('email');
const byUsername = usersBy('username_key');
const identityOwners = `
  select i.provider_account_id as value, i.user_id as user_id from svc_identities i
  where i.provider = :provider and i.provider_account_id in (:values*)`;
const credentialOwners = `
  select c.id as value, c.user_id as user_id from svc_credentials c where c.id in (:values*)`;
const keyOwners = `
  select k.key_digest as value, coalesce(k.user_id, k.org_id) as user_id from svc_api_keys k
  where k.key_digest in (:values*)`;

const keyOwnersById = keyOwners.replaceAll('k.key_digest', 'k.id');

const present = (values: readonly (string | null | undefined)[]) =>
  values.filter((value) => value !== null && value !== undefined);

export async function readKnownAccounts(
  on: Queryable,
  records: readonly ImportRecord[],
): Promise<KnownAccounts> {
  const ids = new Map<string, AdministeredUser>();
  const externalIds = new Map<string, AdministeredUser>();
  const emails = new Map<string, AdministeredUser>();
  const usernames = new Map<string, string>();
  const remember = (user: AdministeredUser) => {
    ids.set(user.id, user);
    if (user.externalId !== null) externalIds.set(user.externalId, user);
    if (user.email !== null) emails.set(user.email, user);
    if (user.username !== null) usernames.set(usernameKey(user.username), user.id);
  };
  const readUsers = (statement: string, values: readonly string[]) =>
    inLists(values, async (list) => {
      for (const user of await on.query(statement, { values: list }, toAdministered)) remember(user);
    });
  const keptIds = records.flatMap(keptIdsOf);
  await readUsers(byExternalId, present([...records.map(oldIdOf), ...keptIds.flatMap(spellingsOf)]));
  await readUsers(byId, keptIds);
  await readUsers(byEmail, present(records.map(({ user }) => user.email)));
  await readUsers(byUsername, present(records.map(({ user }) => user.username?.key)));

  const readOwners = async (statement: string, values: readonly string[], provider?: string) => {
    const owners = new Map<string, string>();
    await inLists(values, async (list) => {
      const bindings = { values: list, ...(provider !== undefined && { provider }) };
      const rows = await on.query(statement, bindings, (row) => row as { value: string; user_id: string });
      for (const { value, user_id } of rows) owners.set(value, user_id);
    });
    return owners;
  };
  const accountIds = new Map<string, string[]>();
  for (const { provider, providerAccountId } of records.flatMap(({ identities }) => identities))
    if (!accountIds.get(provider)?.push(providerAccountId)) accountIds.set(provider, [providerAccountId]);
  const identities = new Map<string, Map<string, string>>();
  for (const [provider, values] of accountIds)
    identities.set(provider, await readOwners(identityOwners, values, provider));
  const credentials = await readOwners(
    credentialOwners,
    records.flatMap((record) => record.credentials.map(({ id }) => id)),
  );
  const allKeys = records.flatMap(({ apiKeys }) => apiKeys);
  const byDigest = await readOwners(keyOwners, present(allKeys.map(({ keyDigest }) => keyDigest)));
  const own = allKeys.filter(({ keyDigest }) => keyDigest === null);
  const byOwnId = await readOwners(
    keyOwnersById,
    own.map(({ id }) => id),
  );
  // Another import can have committed between two of these statements: its users are those of the records, not of someone else.
  const owners = [...identities.values(), credentials, byDigest, byOwnId].flatMap((each) => [
    ...each.values(),
  ]);
  await readUsers(
    byId,
    owners.filter((id) => !ids.has(id)),
  );
  return {
    byId: (id) => ids.get(id) ?? null,
    byExternalId: (externalId) => externalIds.get(externalId) ?? null,
    byEmail: (email) => emails.get(email) ?? null,
    ofUsername: (key) => usernames.get(key) ?? null,
    ofIdentity: ({ provider, providerAccountId }) => identities.get(provider)?.get(providerAccountId) ?? null,
    ofCredential: (id) => credentials.get(id) ?? null,
    ofApiKey: (key) => byDigest.get(key) ?? byOwnId.get(key) ?? null,
  };
}
