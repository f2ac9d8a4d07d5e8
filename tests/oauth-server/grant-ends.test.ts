// Every end of a grant that no user decides is an event, and a record of the audit log.
import { describeAdapters } from '../support/describe-adapters.js';
import { clientSite } from './client-site.js';
import { allow, askForToken, authorizeUrl, call, refresh, signedIn } from './protocol.js';

const hour = 60 * 60_000;

describeAdapters('The end of a grant', ({ adapter, uniqueEmail }) => {
  const site = clientSite({}, adapter, { audit: true });
  const events: string[] = [];
  beforeAll(async () => {
    site.test.service.on('oauth.grant_ended', ({ grantId }) => void events.push(grantId));
  });

  const revoke = (token: string) =>
    fetch(`${site.issuer}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: site.clientId, token }),
    });

  /** What the audit log says about ends, of one user. Each has had one event as well. */
  async function endsOf(email: string) {
    const { service } = site.test;
    const { id: userId } = (await service.users.find({ email }))!;
    const { records } = await service.audit.list({ action: 'oauth.grant_ended', userId });
    return records.map(({ actors, clientId: client, details, outcome }) => {
      const { cause, grantId } = details as { cause: string; grantId: string };
      const emitted = events.filter((each) => each === grantId).length;
      return { actors, client, cause, emitted, outcome };
    });
  }

  const ended = (cause: string) => ({
    ...{ actors: [{ type: 'system' }], client: site.clientId, cause },
    ...{ emitted: 1, outcome: 'success' },
  });

  it('is recorded once if its client revokes the refresh token, also in parallel', async () => {
    const email = uniqueEmail();
    const tokens = await signedIn(site, email, site.clientId);
    await Promise.all([1, 2, 3].map(() => revoke(tokens.refresh_token)));
    await revoke(tokens.refresh_token);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    expect(await endsOf(email)).toEqual([ended('revoked')]);
  });

  it('is not recorded for the end of one access token, after which the grant remains', async () => {
    const email = uniqueEmail();
    const tokens = await signedIn(site, email, site.clientId);
    await revoke(tokens.access_token);
    expect((await call(site, tokens.access_token)).status).toBe(401);
    expect((await refresh(site, site.clientId, tokens.refresh_token)).status).toBe(200);
    expect(await endsOf(email)).toEqual([]);
  });

  it('is recorded once if its code is redeemed again, at the same moment or later', async () => {
    for (const redeem of ['parallel', 'sequential']) {
      const email = uniqueEmail();
      const redeemable = await allow(site, await site.browser(email), site.clientId);
      const again = () => askForToken(site, redeemable);
      if (redeem === 'parallel') await Promise.all([again(), again(), again()]);
      else for (let count = 0; count < 3; count++) await again();
      expect((await again()).error).toBe('invalid_grant');
      expect(await endsOf(email)).toEqual([ended('code_replayed')]);
    }
  });

  it('is recorded once if a refresh token comes back after its time', async () => {
    const email = uniqueEmail();
    const first = await signedIn(site, email, site.clientId);
    const second = await refresh(site, site.clientId, first.refresh_token);
    site.test.clock.advance(hour);
    await Promise.all([1, 2, 3].map(() => refresh(site, site.clientId, first.refresh_token)));
    expect((await refresh(site, site.clientId, second.refresh_token)).error).toBe('invalid_grant');
    expect(await endsOf(email)).toEqual([ended('refresh_reused')]);
  });

  it('is recorded for each grant that a limit ends', async () => {
    const email = uniqueEmail();
    const browser = await site.browser(email);
    await allow(site, browser, site.clientId);
    // One was given by the page, and 22 without a question, of which 20 are kept.
    for (let count = 0; count < 22; count++) {
      site.test.clock.advance(10);
      await browser.open(authorizeUrl(site, site.clientId).url);
    }
    expect(await endsOf(email)).toEqual([ended('limit'), ended('limit')]);
  });
});
