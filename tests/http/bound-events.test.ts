/** The binding of a session is an event, and a record of the audit log that is stored together with it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { memoryAdapter, type StorageAdapter } from 'svc-auth';
import { newKey, proofsOf } from '../oauth-server/proofs.js';
import { bind, deviceKey, offerOf, register } from '../support/bound-browser.js';
import { boundSites, signIn } from '../support/bound-site.js';
import { openSite, validPassword } from '../support/http-site.js';
import { license, settleService } from '../support/make-pro-service.js';

import { openStorage } from '../support/open-storage.js';

const { newSite, closeSites } = boundSites();
afterEach(closeSites);

const storages: [string, () => StorageAdapter][] = [
  ['memory', () => memoryAdapter()],
  [
    'SQLite',
    () =>
      openStorage(String(pathToFileURL(path.join(mkdtempSync(path.join(tmpdir(), 'svc-auth-')), 'auth.db')))),
  ],
];

describe.each(storages)('the binding of a session (%s)', (_name, open) => {
  async function scene() {
    const adapter = open();
    await adapter.init();
    const site = await newSite({ service: { ...license, audit: true } }, adapter);
    const events: object[] = [];
    site.service.on('session.bound', (payload) => void events.push(payload));
    return { site, events };
  }

  it('is an event and a record, once', async () => {
    const { site, events } = await scene();
    const { userId, response } = await signIn(site);
    const { id } = await bind(site, response);
    expect((await register(site, offerOf(response)!, await deviceKey())).status).toBe(401);
    await settleService(site);
    expect(events).toEqual([{ userId, sessionId: id }]);
    const { records } = await site.service.audit.list({ userId, action: 'session.bound' });
    expect(records).toMatchObject([
      { outcome: 'success', actors: [{ type: 'user', id: userId }], details: { sessionId: id } },
    ]);
  });

  it('leaves no record if it is refused', async () => {
    const { site, events } = await scene();
    const { userId, response } = await signIn(site);
    const forged = { ...offerOf(response)!, nonce: '' };
    expect((await register(site, forged, await deviceKey())).status).toBe(401);
    await settleService(site);
    expect(events).toEqual([]);
    expect((await site.service.audit.list({ userId, action: 'session.bound' })).records).toEqual([]);
  });
});

describe('the tokens of a client with a key', () => {
  it('are issued as bound, in the event and its record', async () => {
    const site = await openSite(express, undefined, {
      service: { ...license, audit: true, session: { bearer: true } },
    });
    const events: object[] = [];
    site.service.on('refresh.issued', (payload) => void events.push(payload));
    const dpop = proofsOf(() => ({ test: site }))(
      newKey(),
      'POST',
      `${site.origin}/api/auth/password/signup`,
    );
    const signUp = (headers: Record<string, string>) =>
      site.post(
        '/password/signup',
        { email: site.uniqueEmail(), password: validPassword },
        { headers: { 'svc-session': 'bearer', ...headers } },
      );
    await signUp({ dpop });
    await signUp({});
    await settleService(site);
    expect(events).toEqual([
      expect.objectContaining({ bound: true }),
      expect.not.objectContaining({ bound: true }),
    ]);
    const { records } = await site.service.audit.list({ action: 'refresh.issued' });
    expect(records.map(({ details }) => details['bound']).sort()).toEqual([true, undefined]);
    await site.close();
  });
});
