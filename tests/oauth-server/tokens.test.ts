// Codes and tokens: what happens once happens once, and what ends has ended at the next request.
import { describeAdapters } from '../support/describe-adapters.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, call, callback, refresh, signedIn } from './protocol.js';

describeAdapters('Tokens of the OAuth server', ({ adapter }) => {
  const site = clientSite({}, adapter);

  const ofAda = (email = `ada-${Math.random()}@example.com`) => signedIn(site, email, site.clientId);

  it('of twenty parallel redemptions of a code one succeeds at most, and the others end what came of it', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => askForToken(site, redeemable)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners.length).toBeLessThanOrEqual(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, error }) => `${status} ${error}`))).toEqual(
      new Set(['400 invalid_grant']),
    );
    for (const winner of winners) {
      expect((await call(site, winner.access_token)).status).toBe(401);
      const later = await refresh(site, site.clientId, winner.refresh_token);
      expect(later).toMatchObject({ status: 400, error: 'invalid_grant' });
    }
  });

  it('a code that comes back ends what came of it', async () => {
    const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
    const first = await askForToken(site, redeemable);
    expect((await call(site, first.access_token)).status).toBe(200);
    expect(await askForToken(site, redeemable)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect((await call(site, first.access_token)).status).toBe(401);
    expect(await refresh(site, site.clientId, first.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('a code needs its verifier, its client and its redirect address', async () => {
    const other = await site.oauth.clients.create({ name: 'Other', redirectUris: [callback] });
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { client_id: other.client.id },
      { redirect_uri: 'https://notes.test/other' },
    ]) {
      const redeemable = await allow(site, await site.browser('ada@example.com'), site.clientId);
      expect(await askForToken(site, { ...redeemable, ...wrong })).toMatchObject({
        status: 400,
        error: 'invalid_grant',
      });
    }
  });

  it('parallel refreshes with one token all get the same successor, for two hundred expiries', async () => {
    let { refresh_token: token } = await ofAda();
    for (let expiry = 0; expiry < 200; expiry++) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(site, site.clientId, token)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const successors = new Set(answers.map(({ refresh_token: next }) => next));
      expect(successors.size).toBe(1);
      [token = ''] = successors;
      site.test.clock.advance(60 * 60_000);
    }
    // One exchange for each expiry.
    expect(token.split('.')[1]).toBe('200');
  });

  it('a process that reads the tokens late, or stores them late, gets the successor of the others', async () => {
    const first = await ofAda();
    const second = await refresh(site, site.clientId, first.refresh_token);
    // It has read what another process has stored a moment ago.
    const third = await refresh(site, site.clientId, second.refresh_token);
    expect(third).toMatchObject({ status: 200, refresh_token: second.refresh_token });
    // It has read the file before that.
    expect(await refresh(site, site.clientId, first.refresh_token)).toMatchObject({
      status: 200,
      refresh_token: second.refresh_token,
    });
  });

  it('a refresh token that was exchanged earlier ends the grant', async () => {
    const first = await ofAda();
    const second = await refresh(site, site.clientId, first.refresh_token);
    site.test.clock.advance(61_000);
    expect(await refresh(site, site.clientId, first.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect((await call(site, second.access_token)).status).toBe(401);
    expect(await refresh(site, site.clientId, second.refresh_token)).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('a refresh token of another client, and one that was changed, is refused and ends nothing', async () => {
    const { refresh_token: token } = await ofAda();
    const other = await site.oauth.clients.create({ name: 'Other', redirectUris: [callback] });
    expect(await refresh(site, other.client.id, token)).toMatchObject({ error: 'invalid_grant' });
    const changed = token.replace(/\.0\./, '.1.');
    expect(await refresh(site, site.clientId, changed)).toMatchObject({ error: 'invalid_grant' });
    expect((await refresh(site, site.clientId, token)).status).toBe(200);
  });

  it('a refresh asks for no more than what was given', async () => {
    const { refresh_token: token } = await ofAda();
    expect(await refresh(site, site.clientId, token, { scope: 'notes:write' })).toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
    expect(await refresh(site, site.clientId, token, { resource: `${site.issuer}/other` })).toMatchObject({
      error: 'invalid_target',
    });
    expect((await refresh(site, site.clientId, token)).status).toBe(200);
  });

  it.each(['sign-out everywhere', 'block', 'deletion', 'removal of the client'] as const)(
    'tokens end at the next request after a %s',
    async (end) => {
      const email = `eve-${Math.random()}@example.com`;
      const { client } = await site.oauth.clients.create({ name: 'Ended', redirectUris: [callback] });
      const tokens = await signedIn(site, email, client.id);
      expect((await call(site, tokens.access_token)).status).toBe(200);
      const { service } = site.test;
      const user = (await service.users.find({ email }))!;
      await {
        'sign-out everywhere': () => service.users.signOut(user.id),
        block: () => service.users.block(user.id),
        deletion: () => service.account.deleteUser(user.id),
        'removal of the client': () => site.oauth.clients.remove(client.id),
      }[end]();
      expect((await call(site, tokens.access_token)).status).toBe(401);
      const refused = await refresh(site, client.id, tokens.refresh_token);
      expect([400, 401]).toContain(refused.status);
    },
  );

  it('an access token ends with its time, and a grant with its last use', async () => {
    const tokens = await ofAda();
    site.test.clock.advance(60 * 60_000);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    const next = await refresh(site, site.clientId, tokens.refresh_token);
    expect((await call(site, next.access_token)).status).toBe(200);
    site.test.clock.advance(90 * 24 * 60 * 60_000);
    expect(await refresh(site, site.clientId, next.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('a client ends a grant with its refresh token (RFC 7009)', async () => {
    const tokens = await ofAda();
    const response = await fetch(`${site.issuer}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: site.clientId, token: tokens.refresh_token }).toString(),
    });
    expect(response.status).toBe(200);
    expect((await call(site, tokens.access_token)).status).toBe(401);
  });

  it('stores no token, code or secret as it is', async () => {
    const { client, secret } = await site.oauth.clients.create({
      name: 'Server',
      redirectUris: [callback],
      confidential: true,
    });
    const redeemable = await allow(site, await site.browser('ada@example.com'), client.id);
    const { client_id: _, ...rest } = redeemable;
    const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;
    const tokens = await askForToken(site, rest, { authorization });
    expect(tokens.status).toBe(200);
    const wrong = `Basic ${Buffer.from(`${client.id}:wrong`).toString('base64')}`;
    const renewal = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    expect(await askForToken(site, renewal, { authorization: wrong })).toMatchObject({
      status: 401,
      error: 'invalid_client',
    });
    expect((await askForToken(site, renewal, { authorization })).status).toBe(200);
  });
});
