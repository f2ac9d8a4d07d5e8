/** A sign-in whose proof is consumed just before the pool has no free connection. */
import type { Knex } from 'knex';
import { knexAdapter, type StorageAdapter } from 'svc-auth';
import { createSharedDatabase, type SharedDatabase, type SharedStorage } from '../../support/databases.js';
import { fullSiteOpener, loopbackProviders } from '../../support/full-site.js';
import { openKnex } from '../../support/open-knex.js';
import { signInMethods } from '../../support/sign-in-methods.js';
import { isSignedIn } from '../../support/site-actions.js';

/** The methods that consume what a user proves, or count its only use. */
const consuming = [
  'oneTimeCodes.attempt',
  'fastPaths.attemptAndCorrect',
  'singleUseTokens.consume',
  'rateLimits.hit',
  'totp.advance',
  'credentials.use',
];

interface Pool {
  adapter: StorageAdapter;
  /** How many times the pool has refused a connection. */
  refusals: () => number;
}

interface KnexClient {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

/** Takes the only connection whenever a proof has been consumed, and gives it back once the pool has refused one to the service. */
function exhaustedAfterProof(knex: Knex): Pool {
  const client = knex.client as KnexClient;
  const [acquire, release] = [client.acquireConnection.bind(client), client.releaseConnection.bind(client)];
  const taken: unknown[] = [];
  let refusals = 0;
  client.acquireConnection = () =>
    acquire().catch(async (error: unknown) => {
      refusals += 1;
      await Promise.all(taken.splice(0).map(release));
      throw error;
    });
  const takeAll = async () => void taken.push(await acquire());
  const wrapped = (name: string, repository: object) =>
    new Proxy(repository, {
      get(target, method) {
        const original = Reflect.get(target, method) as (...args: unknown[]) => Promise<unknown>;
        if (!consuming.includes(`${name}.${String(method)}`)) return original;
        return async (...args: unknown[]) => {
          const result = await original(...args);
          if (isProof(args)) await takeAll();
          return result;
        };
      },
    });
  const repositories = Object.entries(knexAdapter(knex)).map(([name, value]) => [
    name,
    typeof value === 'object' ? wrapped(name, value as object) : (value as unknown),
  ]);
  return { adapter: Object.fromEntries(repositories) as StorageAdapter, refusals: () => refusals };
}

/** A hit with a limit is not a proof. */
function isProof([first]: unknown[]): boolean {
  return !Array.isArray(first) || first.every(({ max }: { max?: number }) => max === undefined);
}

export function describeProofWithoutConnection(storage: SharedStorage): void {
  describe(`A proof that is followed by an exhausted pool on ${storage}`, () => {
    let database: SharedDatabase;
    let knex: Knex;
    let pool: Pool;

    beforeAll(async () => {
      database = await createSharedDatabase(storage);
      knex = await openKnex(database.url, { acquireConnectionTimeout: 100 });
      await knexAdapter(knex).init();
      pool = exhaustedAfterProof(knex);
    });

    afterAll(async () => {
      await knex?.destroy();
      await database?.drop();
    });

    const open = fullSiteOpener(() => pool.adapter, loopbackProviders('google', 'acme'));

    it.each(Object.keys(signInMethods))('signs in with %s', async (name) => {
      const site = await open();
      const signIn = await signInMethods[name]!(site);
      const before = pool.refusals();
      for (const whose of ['a new user', 'a user']) {
        const response = await signIn();
        const body = JSON.stringify(response.json ?? response.location);
        expect([whose, body, await isSignedIn(site, response.cookie())]).toEqual([whose, body, true]);
      }
      const hasProof = name !== 'a password' && name !== 'a signup';
      expect(pool.refusals() > before).toBe(hasProof);
    });
  });
}
