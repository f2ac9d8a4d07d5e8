/**
 * Codes and access tokens of the mock provider. A code can be exchanged once, by its client, with
 * its verifier (RFC 7636, 4.6).
 */
import { sha256 } from '../../src/crypto/digest.js';
import { randomToken } from '../../src/crypto/random.js';

export interface MockClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** Replaces the comparison with `clientSecret`, for secrets that are created for each request. */
  acceptsSecret?: (secret: string) => boolean;
}

interface Grant {
  subject: string;
  nonce: string | undefined;
  scope: string;
  challenge: string | undefined;
  redirectUri: string;
}

type Fields = Record<string, string>;

export class Grants {
  private readonly codes = new Map<string, Grant>();
  private readonly subjects = new Map<string, string>();

  constructor(
    private readonly client: MockClient,
    private readonly issuer: string,
  ) {}

  /**
   * Returns the redirect of an authorization request (RFC 6749, 4.1.2), or undefined if a provider
   * must not redirect.
   */
  authorize(fields: Fields): string | undefined {
    const { client_id, redirect_uri, response_type, code_challenge, code_challenge_method } = fields;
    const { state, nonce, scope = '', mock_subject: subject = '' } = fields;
    if (client_id !== this.client.clientId || redirect_uri !== this.client.redirectUri) return undefined;
    const isPlain = code_challenge !== undefined && code_challenge_method !== 'S256';
    const error = isPlain || response_type !== 'code' ? 'invalid_request' : subject === '' && 'access_denied';
    const code = randomToken();
    if (!error) {
      this.codes.set(code, { subject, nonce, scope, challenge: code_challenge, redirectUri: redirect_uri });
    }
    const callback = new URL(redirect_uri);
    const parameters = { ...(error ? { error } : { code }), ...(state !== undefined && { state }) };
    // RFC 9207: identifies the issuer of the response.
    for (const [name, value] of Object.entries({ ...parameters, iss: this.issuer }))
      callback.searchParams.set(name, value);
    return callback.href;
  }

  /** Returns the grant of a code, or the error of the token endpoint (RFC 6749, 5.2). */
  redeem(
    fields: Fields,
    authorization: string | undefined,
  ): (Grant & { accessToken: string }) | { error: string } {
    if (!this.isClient(fields, authorization)) return { error: 'invalid_client' };
    const { code = '', code_verifier = '', redirect_uri, grant_type } = fields;
    const grant = this.codes.get(code);
    this.codes.delete(code);
    const isProven = grant?.challenge === undefined || sha256(code_verifier) === grant.challenge;
    if (!grant || !isProven || redirect_uri !== grant.redirectUri) return { error: 'invalid_grant' };
    if (grant_type !== 'authorization_code') return { error: 'unsupported_grant_type' };
    const accessToken = randomToken();
    this.subjects.set(accessToken, grant.subject);
    return { ...grant, accessToken };
  }

  subjectOf(authorization: string | undefined): string | undefined {
    return this.subjects.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
  }

  /** Authenticates the client by the body or by the header (RFC 6749, 2.3.1). */
  private isClient({ client_id, client_secret }: Fields, authorization = ''): boolean {
    const basic = /^Basic (.+)$/.exec(authorization)?.[1];
    const [id, secret = ''] =
      basic === undefined
        ? [client_id, client_secret]
        : Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const { clientId, clientSecret, acceptsSecret = (input) => input === clientSecret } = this.client;
    return id === clientId && acceptsSecret(secret);
  }
}
