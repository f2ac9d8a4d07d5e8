/** Sessions of persons whom only the former system has, with `emailPassword.legacy`: several processes on one database. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { ImportedUser } from 'svc-auth';
import { cookieSession, type OldSessionUser } from 'svc-auth/moving';
import { testClock } from 'svc-auth/testing';
import { createSharedDatabase, sharedStorages, type SharedDatabase } from '../../support/databases.js';
import { openSite, type Site } from '../../support/http-site.js';
import { importedPassword, importingHasher, oldUser } from '../../support/imported-users.js';
import { openStorage } from '../../support/open-storage.js';

type Query = { email?: string; username?: string; externalId?: string };

/** The former system: users by what they are asked for, sessions by token. */
class FormerSystem {
  readonly people: ImportedUser[] = [];
  readonly sessions = new Map<string, OldSessionUser | string>();
  readonly asked: Query[] = [];

  readonly legacy = async (query: Query): Promise<ImportedUser | null> => {
    this.asked.push(query);
    return this.find(query) ?? null;
  };

  find(query: Query): ImportedUser | undefined {
    const [[key, value] = []] = Object.entries(query);
    return this.people.find((each) => each[key as keyof Query] === value);
  }

  source() {
    return cookieSession({
      cookieName: 'old',
      findSession: (token) => (this.sessions.has(token) ? { user: this.sessions.get(token) } : null),
      endSession: (token) => this.sessions.delete(token),
    });
  }

  signIn(user: OldSessionUser | string): string {
    const token = randomUUID();
    this.sessions.set(token, user);
    return `old=${token}`;
  }
}

describe.each(sharedStorages(['PostgreSQL', 'SQLite']))(
  'an old session of a person whom only the former system has, on %s',
  (name) => {
    let database: SharedDatabase;
    let system: FormerSystem;
    const open: { site: Site; adapter: ReturnType<typeof openStorage> }[] = [];

    beforeEach(async () => {
      database = await createSharedDatabase(name);
      system = new FormerSystem();
    });

    afterEach(async () => {
      for (const { site, adapter } of open.splice(0)) {
        await site.close();
        await adapter.close();
      }
      await database.drop();
    });

    /** With its own connections, as another process has them. */
    async function newSite(): Promise<Site> {
      const adapter = openStorage(database.url);
      await adapter.init();
      const { legacy } = system;
      const site = await openSite(express, adapter, {
        pro: true,
        service: {
          clock: testClock(Date.now()),
          session: { acceptSessionsFrom: [system.source()] },
          providers: { emailPassword: { hasher: importingHasher(), legacy } },
        },
      });
      open.push({ site, adapter });
      return site;
    }

    const countUsers = async () => {
      const [row] = await database.sql('select count(*) as total from svc_users');
      return Number(row?.['total']);
    };

    it.each<[string, (person: ImportedUser) => OldSessionUser | string]>([
      ['an external id', ({ externalId }) => String(externalId)],
      ['a verified address', ({ email }) => ({ email: email!, emailVerified: true })],
    ])('imports the person by %s, and signs in', async (_, userOf) => {
      const site = await newSite();
      const person = oldUser({ metadata: { plan: 'gold' } });
      system.people.push(person);
      const response = await site.get('/session', { cookie: system.signIn(userOf(person)) });
      expect([response.status, response.json.user?.email]).toEqual([200, person.email]);
      const user = await site.service.users.find({ externalId: String(person.externalId) });
      expect(user).toMatchObject({ id: response.json.user.id, metadata: { plan: 'gold' } });
    });

    it('imports the person whose id stays, by that id', async () => {
      const site = await newSite();
      const id = randomUUID();
      const person = oldUser({ id, externalId: null });
      system.find = ({ externalId }) => (externalId === id ? person : undefined);
      const response = await site.get('/session', { cookie: system.signIn(id) });
      expect([response.status, response.json.user?.id]).toEqual([200, id]);
    });

    it('becomes one user for sessions and sign-ins with a password in four processes at once', async () => {
      const sites = await Promise.all(Array.from({ length: 4 }, newSite));
      const person = oldUser();
      system.people.push(person);
      const cookies = Array.from({ length: 4 }, () => system.signIn(String(person.externalId)));
      const requests = sites.flatMap((site, n) => [
        site.get('/session', { cookie: cookies[n]! }),
        site.get('/session', { cookie: cookies[0]! }),
        site.post('/password/login', { email: person.email, password: importedPassword }),
      ]);
      const responses = await Promise.all(requests);
      expect(responses.map(({ status }) => status)).toEqual(Array(requests.length).fill(200));
      expect(new Set(responses.map(({ json }) => json.user.id)).size).toBe(1);
      expect(await countUsers()).toBe(1);
    });

    it('becomes one user for four sign-ins at once if the former system names no id', async () => {
      const sites = await Promise.all(Array.from({ length: 4 }, newSite));
      const person = oldUser({ externalId: null });
      system.people.push(person);
      const responses = await Promise.all(
        sites.map((site) =>
          site.post('/password/login', { email: person.email, password: importedPassword }),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await countUsers()).toBe(1);
    });

    it('is refused if the former system does not know the person, fails, or returns another one', async () => {
      const site = await newSite();
      const person = oldUser();
      for (const user of ['unknown', { email: person.email!, emailVerified: false } as never])
        expect((await site.get('/session', { cookie: system.signIn(user) })).status).toBe(401);
      expect(system.asked).toEqual([{ externalId: 'unknown' }]);
      system.people.push({ ...person, externalId: 'of-another' });
      system.find = () => person;
      expect((await site.get('/session', { cookie: system.signIn('of-one') })).status).toBe(401);
      expect(await countUsers()).toBe(0);
    });

    it('does not lead to the account of a stranger who has signed up with the address', async () => {
      const site = await newSite();
      const person = oldUser();
      await site.service.users.create({ email: person.email!, emailVerified: false });
      system.people.push(person);
      const cookie = system.signIn(String(person.externalId));
      expect((await site.get('/session', { cookie })).status).toBe(401);
      const byAddress = system.signIn({ email: person.email!, emailVerified: true });
      expect((await site.get('/session', { cookie: byAddress })).status).toBe(401);
    });

    it('is refused if the person is blocked in the former system', async () => {
      const site = await newSite();
      const person = oldUser({ blocked: true });
      system.people.push(person);
      const cookie = system.signIn(String(person.externalId));
      expect((await site.get('/session', { cookie })).status).toBe(401);
    });
  },
);
