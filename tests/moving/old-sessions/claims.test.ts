/** Sessions of the owner of an address, with which a stranger had signed up here before the import: docs/decisions/import-conflicts.md. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { ImportedUser } from 'svc-auth';
import { cookieSession, type OldSessionUser } from 'svc-auth/moving';
import { encryptionKey } from '../../support/every-provider.js';
import { openSite, validPassword, type Site } from '../../support/http-site.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

/** A site that accepts the sessions of a former system: the cookie `old=<n>` is the session of the n-th user that was signed in there. */
async function movedSite() {
  const users: (OldSessionUser | string)[] = [];
  const source = cookieSession({
    cookieName: 'old',
    findSession: (token) => ({ user: users[Number(token)] }),
    endSession: () => undefined,
  });
  const site = await openSite(express, undefined, {
    pro: true,
    service: {
      encryptionKey,
      providers: { totp: true, account: true },
      session: { acceptSessionsFrom: [source] },
    },
  });
  open.push(site);
  // At the start of a minute.
  site.clock.advance(60_000 - (site.clock.now() % 60_000));
  const visit = async (user: OldSessionUser | string) => {
    const { status, json } = await site.get('/session', { cookie: `old=${users.push(user) - 1}` });
    return status === 200 ? (json.user.id as string) : status;
  };
  const merge = (record: ImportedUser) => site.service.users.import([record], { onConflict: 'merge' });
  return { merge, site, visit };
}

const externalId = 'user-7';

/** The record of the owner has claimed the account of a stranger. */
async function claimed(record: Partial<ImportedUser> = {}) {
  const { merge, site, visit } = await movedSite();
  const stranger = await site.signUp();
  const { email } = stranger;
  expect(await visit(externalId)).toBe(401);
  site.clock.advance(11_000);
  expect(await merge({ externalId, email, emailVerified: true, ...record })).toMatchObject({ merged: 1 });
  return { id: stranger.user.id as string, email, site, stranger, visit };
}

describe('after an import has claimed the account of a stranger', () => {
  it.each<[string, (email: string) => OldSessionUser | string]>([
    ['its external id', () => externalId],
    ['its external id in an object', () => ({ externalId })],
    ['its verified address', (email) => ({ email, emailVerified: true })],
  ])(
    'an old session of the owner that names %s counts, and no session of the stranger',
    async (_, nameOf) => {
      const { email, id, site, stranger, visit } = await claimed();
      expect(await visit(nameOf(email))).toBe(id);
      expect((await site.get('/session', { cookie: stranger.cookie })).status).toBe(401);
      const guess = await site.post('/password/login', { email, password: validPassword });
      expect(guess.json.error).toBe('invalid_credentials');
    },
  );

  it('an old session of the owner counts whose record has a second factor', async () => {
    const { id, visit } = await claimed({ totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' } });
    expect(await visit(externalId)).toBe(id);
  });

  it('an old session of the owner counts whose id is a UUID', async () => {
    const oldId = randomUUID();
    const { id, visit } = await claimed({ externalId: null, id: oldId });
    expect(await visit(oldId)).toBe(id);
  });

  it('a token that the application creates a second later is valid', async () => {
    const { id, site } = await claimed();
    site.clock.advance(1_000);
    const { token } = site.service.createSessionToken(id);
    expect(await site.service.getSessionUser(token)).toMatchObject({ id });
  });

  it.each([1, 999, 3_750, 48_999, 49_000, 60_000, 120_000])(
    'old sessions are refused when all sessions have been ended %d ms later',
    async (ms) => {
      const { id, site, visit } = await claimed();
      site.clock.advance(ms);
      await site.service.users.signOut(id);
      expect(await visit(externalId)).toBe(401);
    },
  );

  it.each([
    ['within the minute', 0, 0],
    ['until the next minute', 0, 61_000],
    ['in the next minute', 61_000, 0],
  ])('old sessions are refused when all have been ended sixteen times %s', async (_, first, last) => {
    const { id, site, visit } = await claimed();
    site.clock.advance(first);
    for (let count = 0; count < 15; count++) await site.service.users.signOut(id);
    site.clock.advance(last);
    await site.service.users.signOut(id);
    expect(await visit(externalId)).toBe(401);
  });

  it.each([
    [
      'a new password',
      (site: Site, id: string) => site.service.users.setPassword(id, 'battery staple horse'),
    ],
    ['a block', (site: Site, id: string) => site.service.users.block(id)],
    ['a lockdown', (site: Site) => site.service.lockdown({})],
  ])('old sessions are refused after %s', async (_, change) => {
    const { id, site, visit } = await claimed();
    await change(site, id);
    expect(await visit(externalId)).toBe(401);
  });

  it('an old session that names the account by its id here is refused, because the account was the one of the stranger', async () => {
    const { id, visit } = await claimed();
    expect(await visit({ id })).toBe(401);
  });
});

describe('an old session of a stranger who has not proven the address', () => {
  it('is refused after a record of another system has claimed the account', async () => {
    const { merge, site, visit } = await movedSite();
    const email = site.uniqueEmail();
    await site.service.users.import([{ externalId, email, emailVerified: false }]);
    await merge({ email, emailVerified: true });
    expect(await site.service.users.find({ externalId })).toMatchObject({ email, emailVerified: true });
    expect(await visit(externalId)).toBe(401);
  });

  it('is refused after a record of another system has claimed the account that keeps its id', async () => {
    const { merge, site, visit } = await movedSite();
    const [id, email] = [randomUUID(), site.uniqueEmail()];
    await site.service.users.import([{ id, email, emailVerified: false }]);
    site.clock.advance(60_000);
    await merge({ externalId, email, emailVerified: true });
    expect(await site.service.users.get(id)).toMatchObject({ externalId, emailVerified: true });
    for (const name of [id, { id }, { externalId: id }]) expect(await visit(name)).toBe(401);
    expect(await visit(externalId)).toBe(id);
    // Then its id is its only one again.
    await site.service.users.update(id, { externalId: null });
    for (const name of [id, { id }]) expect(await visit(name)).toBe(401);
  });

  it('is refused after the owner has claimed the account with a code, and the record is imported later', async () => {
    const { merge, site, visit } = await movedSite();
    const email = site.uniqueEmail();
    await site.service.users.import([{ externalId, email, emailVerified: false }]);
    await site.signInByCode(email);
    await merge({ externalId, email, emailVerified: true });
    expect(await visit(externalId)).toBe(401);
  });
});
