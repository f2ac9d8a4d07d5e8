// The log line of an identity provider that is down, whose answer may quote what it was sent (docs/providers/oauth.md#log).
import { license } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { startOpenIdStub, type OpenIdStub } from '../support/openid-stub.js';
import { errorOf } from '../support/outcomes.js';

let stub: OpenIdStub;

beforeAll(async () => {
  stub = await startOpenIdStub('https://app.test/api/auth/oauth/acme/callback');
});
afterAll(() => stub.close());

describe('The log line of a provider that is down', () => {
  it('names the token endpoint and status 500, without the code, the verifier and the secret', async () => {
    const test = await makeService({ ...license, providers: { oauth: { acme: stub.client } } });
    const sent = ['the-code', 'v'.repeat(43), stub.client.clientSecret] as const;
    const [code, codeVerifier] = sent;
    stub.respond = (path, _request, response) => {
      if (path !== '/token') return false;
      const answer = { error: 'server_error', error_description: `No database for ${sent.join(' ')}.` };
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return true;
    };
    const call = () => test.service.oauth('acme').handleCallback({ code, codeVerifier });
    expect(await errorOf(call)).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
    expect(test.log.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        fields: {
          ...{ event: 'provider_failed', provider: 'acme', endpoint: 'token' },
          ...{ request: `${stub.issuer}/token`, status: 500, error: 'server_error' },
          ...{ expected: 'status 200', actual: 'status 500' },
        },
      },
    ]);
    const log = JSON.stringify(test.log);
    for (const secret of sent) expect(log).not.toContain(secret);
  });
});
