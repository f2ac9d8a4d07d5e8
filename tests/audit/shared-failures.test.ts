// Attempts that fail for the same cause at the same time have a record each.
import { memoryAdapter } from 'svc-auth';
import { mockIdentityProvider } from 'svc-auth/testing';
import { license } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

describe('sign-ins that wait for the same connection to an identity provider', () => {
  it('have a record each if it cannot be reached, with the client of each', async () => {
    const idp = await mockIdentityProvider({
      redirectUri: 'http://localhost:3000/api/auth/oauth/acme/callback',
    });
    const options = { adapter: memoryAdapter(), audit: true, ...license } as const;
    const providers = { oauth: { acme: { ...idp.client, issuer: idp.issuer } } };
    const { service: started, clock } = await makeService({ ...options, providers });
    const redirects = await Promise.all([1, 2, 3].map(() => started.oauth('acme').startRedirect()));
    await idp.close();
    // A process that has not yet connected.
    const { service } = await makeService({ ...options, clock, providers });
    const finish = ({ state, transaction }: (typeof redirects)[number], index: number) =>
      errorOf(() =>
        service.oauth('acme').finishRedirect(new URLSearchParams({ code: 'code', state }), transaction, {
          ip: `192.0.2.${index}`,
        }),
      );
    const errors = await Promise.all(redirects.map(finish));
    expect(new Set(errors).size).toBe(3);
    for (const error of errors)
      expect(error).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
    const { records } = await service.audit.list({ action: 'sign_in.failed' });
    expect(records.map(({ origin }) => origin?.ip).sort()).toEqual(['192.0.2.0', '192.0.2.1', '192.0.2.2']);
  });
});
