// The key of a bearer session in a browser whose database fails: nothing but its absence replaces the key.
import express from 'express';
import { createClient } from 'svc-auth/client';
import { failingDatabase, type FailingDatabase } from '../support/failing-database.js';
import { openSite, validPassword, type Site } from '../support/http-site.js';

let site: Site;
let database: FailingDatabase;

beforeEach(async () => {
  site = await openSite(express, undefined, { service: { session: { bearer: { dpop: 'required' } } } });
  // Proofs have the time of this device.
  site.clock.set(new Date().getTime());
  database = failingDatabase();
});

afterEach(async () => {
  database.remove();
  await site.close();
});

/** More than the client repeats for one request. */
const always = 1_000_000;

function profile() {
  let stored: string | null = null;
  const storage = { get: () => stored, set: (value: string | null) => void (stored = value) };
  /** Opens a page with the tokens that the browser has. */
  const openPage = () =>
    createClient({ baseUrl: `${site.origin}/api/auth`, bearer: { storage, dpop: true } });
  const signUp = (page = openPage()) =>
    page.password.signup({ email: site.uniqueEmail(), password: validPassword });
  return { openPage, signUp, tokens: () => stored };
}

describe('the key of a bearer session', () => {
  it('is used again by the next page', async () => {
    const { openPage, signUp } = profile();
    const { user } = await signUp();
    expect((await openPage().session()).user?.id).toBe(user?.id);
  });

  it('is read again if the database fails for a moment', async () => {
    const { openPage, signUp } = profile();
    const { user } = await signUp();
    database.failures = 2;
    expect((await openPage().session()).user?.id).toBe(user?.id);
    expect(database.failures).toBe(0);
  });

  it('is kept while the database fails, and so is its session', async () => {
    const { openPage, signUp, tokens } = profile();
    const { user } = await signUp();
    const [[, pair]] = [...database.stored] as [[string, unknown]];
    const page = openPage();
    database.failures = always;
    for (let round = 0; round < 3; round += 1)
      await expect(page.session()).rejects.toMatchObject({
        code: 'network_error',
        reason: 'key_unreadable',
      });
    database.failures = 0;
    expect([...database.stored.values()]).toEqual([pair]);
    expect(tokens()).not.toBeNull();
    expect((await page.session()).user?.id).toBe(user?.id);
  });

  it('is given up if the database always fails, so that the user can sign in', async () => {
    const { openPage, signUp } = profile();
    await signUp();
    const page = openPage();
    database.failures = always;
    for (let round = 0; round < 3; round += 1) await expect(page.session()).rejects.toThrow();
    expect((await page.session()).user).toBeNull();
    const { user } = await signUp(page);
    expect((await page.session()).user?.id).toBe(user?.id);
  });

  it('is made in memory for a first sign-in in a browser without a usable database', async () => {
    database.failures = always;
    const { openPage, signUp } = profile();
    const page = openPage();
    const { user } = await signUp(page);
    expect((await page.session()).user?.id).toBe(user?.id);
    expect(database.stored.size).toBe(0);
  });

  it('is not replaced by a page that gave it up, if the database has it after all', async () => {
    const { openPage, signUp } = profile();
    const { user } = await signUp();
    const [[, pair]] = [...database.stored] as [[string, unknown]];
    const page = openPage();
    database.failures = always;
    for (let round = 0; round < 3; round += 1) await expect(page.session()).rejects.toThrow();
    // As often as one request reads it.
    database.failures = 3;
    expect((await page.session()).user?.id).toBe(user?.id);
    expect([...database.stored.values()]).toEqual([pair]);
  });

  it('is not waited for without end', async () => {
    const { openPage, signUp } = profile();
    await signUp();
    database.hangs = true;
    await expect(openPage().session()).rejects.toMatchObject({ reason: 'key_unreadable' });
  });
});
