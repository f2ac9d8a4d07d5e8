// Refresh tokens and API keys in the hands of an attacker, and guards with invalid options.
import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { requireApiKey, requireOrgRole, requireSession } from 'svc-auth';
import { describeAdapters } from '../../support/describe-adapters.js';
import { day, minute, unknownId } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { isSignedIn, issueTokens } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';
import { guards } from './guarded-app.js';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describeAdapters('Refresh tokens and API keys', (on) => {
  const open = fullSiteOpener(on.adapter);
  const refresh = (site: FullSite, refreshToken: string) => site.post('/token/refresh', { refreshToken });
  const inApp = async (site: FullSite, path: string, options: object) =>
    (await site.send('GET', `/app/${path}`, undefined, options)).status;

  //
  it('rotates a refresh token, and revokes the whole family if an old one is used after the grace period', async () => {
    const site = await open();
    const events: string[] = [];
    site.service.on('refresh.reuse_detected', ({ familyId }) => void events.push(familyId));
    const me = await site.signInByCode();
    const [first, other] = [await issueTokens(site, me), await issueTokens(site, me)];
    const second = (await refresh(site, first.refreshToken)).json;
    expect(second.refreshToken).not.toBe(first.refreshToken);
    // Two tabs or a lost response: for ten seconds the previous token returns the current one.
    expect((await refresh(site, first.refreshToken)).json.refreshToken).toBe(second.refreshToken);
    site.clock.advance(10_001);
    expect((await refresh(site, first.refreshToken)).json.error).toBe('refresh_token_invalid');
    expect((await refresh(site, second.refreshToken)).json.error).toBe('refresh_token_invalid');
    for (const { accessToken } of [first, second])
      expect(await isSignedIn(site, `svc_session=${accessToken}`)).toBe(false);
    expect(await isSignedIn(site, me.cookie)).toBe(true);
    expect((await refresh(site, other.refreshToken)).status).toBe(200);
    await site.settle();
    expect(events).toEqual([first.familyId]);
  });

  //
  it('returns the same new token to 20 concurrent refreshes, and rejects a changed counter, family id or character', async () => {
    const site = await open();
    const { refreshToken, familyId } = await issueTokens(site, await site.signInByCode());
    const stranger = await issueTokens(site, await site.signInByCode());
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(site, refreshToken)));
    const next = new Set(responses.map(({ json }) => json.refreshToken as string));
    expect([responses.every(({ status }) => status === 200), next.size]).toEqual([true, 1]);
    const [current] = [...next] as [string];
    const [, counter, mac] = current.split('.') as [string, string, string];
    expect(counter).toBe('1');
    for (const forged of [
      `${familyId}.2.${mac}`,
      `${familyId}.01.${mac}`,
      `${familyId}.-1.${mac}`,
      `${familyId}.1e0.${mac}`,
      `${stranger.familyId}.1.${mac}`,
      `${familyId.toUpperCase()}.1.${mac}`,
      `${unknownId}.0.${mac}`,
      `${current}.x`,
      ` ${current}`,
      `${current}\n`,
    ]) {
      expect([forged, (await refresh(site, forged)).json.error]).toEqual([forged, 'refresh_token_invalid']);
    }
    expect((await refresh(site, current)).status).toBe(200);
  });

  //
  it('ends a refresh family 30 days after its issue regardless of rotation, and an access token after 15 minutes', async () => {
    const site = await open();
    let { refreshToken, accessToken } = await issueTokens(site, await site.signInByCode());
    site.clock.advance(15 * minute);
    expect(await isSignedIn(site, `svc_session=${accessToken}`)).toBe(false);
    for (let age = 0; age < 29; age += 1) {
      site.clock.advance(day);
      const response = await refresh(site, refreshToken);
      expect([age, response.status]).toEqual([age, 200]);
      ({ refreshToken, accessToken } = response.json as { refreshToken: string; accessToken: string });
    }
    site.clock.advance(day - 15 * minute);
    expect((await refresh(site, refreshToken)).status).toBe(401);
    expect(await isSignedIn(site, `svc_session=${accessToken}`)).toBe(false);
  });

  //
  it('issues neither a refresh family nor a cookie to an access token, and no token during impersonation', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const { accessToken } = await issueTokens(site, me);
    for (const options of [bearer(accessToken), { cookie: `svc_session=${accessToken}` }]) {
      const response = await site.post('/token/issue', {}, options);
      expect([response.status, response.json.error, response.cookies]).toEqual([403, 'not_authorized', []]);
      const changed = await site.post(
        '/account/password',
        { newPassword: 'another horse battery', currentPassword: 'another horse battery' },
        options,
      );
      expect(changed.cookies).toEqual([]);
    }
    const admin = await site.signInByCode();
    const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, me.user.id);
    for (const path of ['/token/issue', '/api-keys']) {
      expect((await site.post(path, { name: 'x' }, bearer(token))).json.error).toBe('not_authorized');
    }
  });

  //
  it('issues an API key of 256 bits, returns it once, stores a digest, and accepts it for exactly its scopes', async () => {
    const site = await open({ after: guards });
    const me = await site.signInByCode();
    const created = await site.post('/api-keys', { name: 'script', scopes: ['read'] }, me);
    const { key, record } = created.json as { key: string; record: { id: string } };
    const secret = /^svc_[0-9a-f]{32}_([0-9a-f]{64})_[0-9a-f]{8}$/.exec(key)![1]!;
    const stored = (await site.adapter.apiKeys!.findById(record.id))!;
    expect(stored.secretHash).toBe(createHash('sha256').update(secret).digest('base64url'));
    expect(
      JSON.stringify([
        stored,
        (await site.get('/api-keys', me)).json,
        (await site.get('/account/export', me)).json,
      ]),
    ).not.toContain(secret);
    for (const options of [bearer(key), { headers: { 'X-Api-Key': key } }]) {
      expect([
        await inApp(site, 'any', options),
        await inApp(site, 'read', options),
        await inApp(site, 'both', options),
      ]).toEqual([200, 200, 403]);
    }
    // An API key is not accepted as a session, nor a session as an API key.
    expect([
      await isSignedIn(site, `svc_session=${key}`),
      (await site.get('/session', bearer(key))).status,
    ]).toEqual([false, 401]);
    expect(await inApp(site, 'any', { cookie: me.cookie, ...bearer(me.cookie.slice(12)) })).toBe(401);
    for (const scopes of [
      ['admin'],
      ['*'],
      ['read*'],
      ['Read'],
      ['read '],
      [''],
      ['read', 'admin'],
      ['__proto__'],
    ]) {
      const { status, json } = await site.post('/api-keys', { name: 'x', scopes }, me);
      expect([scopes, status, json.error]).toEqual([scopes, 400, 'invalid_request']);
    }
    const sum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
    const id = record.id.replaceAll('-', '');
    for (const body of [
      `svc_${id}_${'0'.repeat(64)}`,
      `svc_${unknownId.replaceAll('-', '')}_${secret}`,
      `svc_${id}_${stored.secretHash}`,
    ]) {
      for (const forged of [body, `${body}_${sum(body)}`, `${body}_${key.slice(-8)}`]) {
        expect([forged, await inApp(site, 'any', { headers: { 'X-Api-Key': forged } })]).toEqual([
          forged,
          401,
        ]);
      }
    }
  });

  //
  it('assigns an API key to its creator, lets no one else revoke it, and rejects it after its expiry, owner or organization ends', async () => {
    const site = await open({ after: guards });
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const make = async (path: string, body: object = {}) =>
      (await site.post(path, { name: 'script', userId: other.user.id, ...body }, me)).json as {
        key: string;
        record: { id: string };
      };
    const [mine, revoked] = [await make('/api-keys'), await make('/api-keys')];
    const short = await make('/api-keys', { expiresAt: new Date(site.clock.now() + minute).toISOString() });
    const { org } = (await site.post('/orgs', { name: 'Acme' }, me)).json;
    const shared = await make(`/orgs/${org.id}/api-keys`);
    const accepted = async () =>
      Promise.all(
        [mine, revoked, short, shared].map(
          async ({ key }) => (await inApp(site, 'any', bearer(key))) === 200,
        ),
      );
    for (const { record } of [mine, revoked, shared]) {
      await site.send('DELETE', `/api-keys/${record.id}`, undefined, other);
      await site.send('DELETE', `/orgs/${org.id}/api-keys/${record.id}`, undefined, other);
    }
    await site.send('DELETE', `/api-keys/${shared.record.id}`, undefined, me);
    await site.send('DELETE', `/orgs/${org.id}/api-keys/${mine.record.id}`, undefined, me);
    expect(await accepted()).toEqual([true, true, true, true]);
    expect((await site.send('GET', '/app/any', undefined, bearer(mine.key))).json.owner).toBe(me.user.id);
    expect((await site.get('/api-keys', other)).json.apiKeys).toEqual([]);
    await site.send('DELETE', `/api-keys/${revoked.record.id}`, undefined, me);
    site.clock.advance(minute);
    expect(await accepted()).toEqual([true, false, false, true]);
    await site.send('DELETE', `/orgs/${org.id}`, undefined, me);
    expect(await accepted()).toEqual([true, false, false, false]);
    expect((await site.send('DELETE', '/account', undefined, me)).status).toBe(200);
    expect(await accepted()).toEqual([false, false, false, false]);
  });
});

describe('Guards of the Pro tier', () => {
  const open = fullSiteOpener();
  const outcomeOfMaking = (make: () => unknown) => outcomeOf(make);

  //
  it('throws invalid_request for an unknown or malformed guard option, which would guard nothing', async () => {
    const { service } = await open();
    const org = (req: Request) => req.params['org'];
    const asOptions = (options: object) => options as { min: 'admin'; org: typeof org };
    for (const options of [{ scope: ['read'] }, { scopes: 'read' }, { Scopes: ['read'] }, { mfa: true }]) {
      expect([options, await outcomeOfMaking(() => requireApiKey(service, options as object))]).toEqual([
        options,
        'invalid_request',
      ]);
    }
    for (const others of [{ mfa: true }, { maxAgeMs: minute }, { role: 'owner' }, { orgs: org }]) {
      const outcome = await outcomeOfMaking(() =>
        requireOrgRole(service, asOptions({ min: 'admin', org, ...others })),
      );
      expect([others, outcome]).toEqual([others, 'invalid_request']);
    }
    for (const stateless of ['false', 'no', 1, 0, {}, null]) {
      const outcome = await outcomeOfMaking(() => requireSession(service, { stateless } as object));
      expect([stateless, outcome]).toEqual([stateless, 'invalid_request']);
    }
    expect(await outcomeOfMaking(() => requireApiKey(service, { scopes: ['read'] }))).toBe('ok');
  });
});
