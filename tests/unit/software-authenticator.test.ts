// The authenticator of svc-auth/testing, against the library that judges real ones (docs/security-requirements.md A-97).
import path from 'node:path';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import {
  decodeAttestationObject,
  decodeClientDataJSON,
  isoBase64URL,
  parseAuthenticatorData,
} from '@simplewebauthn/server/helpers';
import * as production from 'svc-auth';
import {
  softwareAuthenticator,
  type AuthenticatorLie,
  type SoftwareAuthenticatorOptions,
} from 'svc-auth/testing';
import { readSource } from '../architecture/source-graph.js';
import { errorOf } from '../support/outcomes.js';

const rpID = 'acme.test';
const origin = 'https://acme.test';
const userID = new Uint8Array([1, 2, 3]);

const creation = (id = rpID) =>
  generateRegistrationOptions({ rpID: id, rpName: 'Acme', userName: 'ada', userID });
const request = (id = rpID) => generateAuthenticationOptions({ rpID: id });

/** What an answer says, read by the library. */
function said({ id, response }: RegistrationResponseJSON | AuthenticationResponseJSON) {
  const bytes =
    'attestationObject' in response
      ? decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData')
      : isoBase64URL.toBuffer(response.authenticatorData);
  const { flags, counter, rpIdHash, credentialID } = parseAuthenticatorData(bytes);
  const { type, challenge, origin: page, crossOrigin } = decodeClientDataJSON(response.clientDataJSON);
  return {
    ...{ id, type, challenge, origin: page, crossOrigin, counter },
    rpIdHash: Buffer.from(rpIdHash).toString('hex'),
    attestedId: credentialID && Buffer.from(credentialID).toString('base64url'),
    userHandle: 'userHandle' in response ? response.userHandle : undefined,
    userPresent: flags.up,
    userVerified: flags.uv,
    backupEligible: flags.be,
    backedUp: flags.bs,
  };
}

async function verified(options: SoftwareAuthenticatorOptions = {}, lie: AuthenticatorLie = {}) {
  const authenticator = softwareAuthenticator(options);
  const started = await creation();
  const expected = { expectedOrigin: origin, expectedRPID: rpID };
  const registration = await verifyRegistrationResponse({
    response: authenticator.create(started),
    expectedChallenge: started.challenge,
    ...expected,
  });
  if (!registration.verified) throw new Error('The registration does not hold.');
  const { credential } = registration.registrationInfo;
  const asked = await request();
  const answer = await verifyAuthenticationResponse({
    response: authenticator.get(asked, lie),
    expectedChallenge: asked.challenge,
    credential,
    ...expected,
  });
  return { registration: registration.registrationInfo, answer };
}

describe('The software authenticator', () => {
  it.each(['ES256', 'EdDSA'] as const)(
    'A-97 signs with %s, and the library believes it',
    async (algorithm) => {
      const { registration, answer } = await verified({ algorithm });
      expect(registration).toMatchObject({
        fmt: 'none',
        userVerified: true,
        credentialDeviceType: 'singleDevice',
        credentialBackedUp: false,
        credential: { counter: 1, transports: ['internal'] },
      });
      expect(answer).toMatchObject({
        verified: true,
        authenticationInfo: { newCounter: 2, userVerified: true },
      });
    },
  );

  it('makes no signature that another key verifies', async () => {
    expect((await verified({}, { forged: true })).answer.verified).toBe(false);
    expect((await verified({ algorithm: 'EdDSA' }, { forged: true })).answer.verified).toBe(false);
  });

  it('says of itself what its options say', async () => {
    const flags = { userVerified: false, backupEligible: true, backedUp: true };
    const authenticator = softwareAuthenticator({
      flags,
      counter: 0,
      origin: 'https://login.acme.test:8443',
    });
    const truth = { ...flags, userPresent: true, counter: 0, origin: 'https://login.acme.test:8443' };
    expect(said(authenticator.create(await creation()))).toMatchObject(truth);
    expect(said(authenticator.get(await request()))).toMatchObject(truth);
    expect(said(authenticator.get(await request()))).toMatchObject(truth);
  });

  it('counts its signatures by one', async () => {
    const authenticator = softwareAuthenticator({ counter: 41 });
    expect(said(authenticator.create(await creation())).counter).toBe(41);
    expect(said(authenticator.get(await request())).counter).toBe(42);
    expect(said(authenticator.get(await request(), { counter: 7 })).counter).toBe(7);
    expect(said(authenticator.get(await request())).counter).toBe(44);
  });

  const lies: [string, AuthenticatorLie][] = [
    ['origin', { origin: 'https://evil.test' }],
    ['challenge', { challenge: 'made-up' }],
    ['type', { type: 'webauthn.other' }],
    ['crossOrigin', { crossOrigin: true }],
    ['counter', { counter: 9000 }],
    ['userPresent', { userPresent: false }],
    ['userVerified', { userVerified: false }],
    ['backupEligible', { backupEligible: true }],
    ['backedUp', { backedUp: true }],
  ];

  it.each(lies)(
    'changes %s in its answer, and nothing else, when told to lie about it',
    async (_name, lie) => {
      const started = await creation();
      const asked = await request();
      // The counter of a key moves with each use, so truth and lie come from two authenticators.
      const [honest, liar] = [softwareAuthenticator(), softwareAuthenticator()];
      const fixed = { credentialId: Buffer.alloc(32, 7).toString('base64url') };
      const truth = said(honest.create(started, fixed));
      expect(said(liar.create(started, { ...fixed, ...lie }))).toEqual({ ...truth, ...lie });
      // The lie was for one answer.
      const later = said(honest.get(asked));
      expect(said(liar.get(asked))).toEqual({ ...later, ...('counter' in lie && { counter: 9001 }) });
      honest.get(asked);
      expect(said(liar.get(asked, lie))).toEqual({
        ...said(honest.get(asked)),
        counter: expect.any(Number),
        ...lie,
      });
    },
  );

  it('signs for another domain when told to', async () => {
    const authenticator = softwareAuthenticator();
    const truth = said(authenticator.create(await creation()));
    const lie = said(authenticator.create(await creation(), { rpId: 'evil.test' }));
    expect(lie.rpIdHash).not.toBe(truth.rpIdHash);
    expect(lie.origin).toBe(truth.origin);
  });

  it('names another credential or user when told to', async () => {
    const authenticator = softwareAuthenticator();
    const credentialId = Buffer.alloc(2000, 1).toString('base64url');
    const registered = said(authenticator.create(await creation(), { credentialId }));
    expect(registered).toMatchObject({ id: credentialId, attestedId: credentialId });
    const asked = await request();
    expect(said(authenticator.get(asked)).userHandle).toBe(Buffer.from(userID).toString('base64url'));
    expect(said(authenticator.get(asked, { userHandle: 'AAAA', credentialId: 'BBBB' }))).toMatchObject({
      userHandle: 'AAAA',
      id: 'BBBB',
    });
    expect(authenticator.get(asked, { userHandle: null }).response).not.toHaveProperty('userHandle');
  });

  it('answers with the newest key that is asked for, of that domain only', async () => {
    const authenticator = softwareAuthenticator();
    const first = authenticator.create(await creation());
    const second = authenticator.create(await creation());
    authenticator.create(await creation('other.test'));
    const asked = await request();
    expect(authenticator.get(asked).id).toBe(second.id);
    const allowCredentials = [{ id: first.id, type: 'public-key' as const }];
    expect(authenticator.get({ ...asked, allowCredentials }).id).toBe(first.id);
    expect(authenticator.credentials.map(({ rpId }) => rpId)).toEqual([rpID, rpID, 'other.test']);
    expect((await errorOf(() => softwareAuthenticator().get(asked))).message).toContain('no key');
  });

  it('refuses what a browser refuses: an excluded key, an algorithm that is not asked for', async () => {
    const authenticator = softwareAuthenticator({ algorithm: 'EdDSA' });
    const started = await creation();
    const { id } = authenticator.create(started);
    const excludeCredentials = [{ id, type: 'public-key' as const }];
    const again = () => authenticator.create({ ...started, excludeCredentials });
    expect((await errorOf(again)).message).toContain('excluded');
    expect(softwareAuthenticator().create({ ...started, excludeCredentials }).id).not.toBe(id);
    const pubKeyCredParams = [{ alg: -7, type: 'public-key' as const }];
    const other = () => authenticator.create({ ...started, pubKeyCredParams });
    expect((await errorOf(other)).message).toContain('not asked for');
    expect(authenticator.credentials).toHaveLength(1);
  });

  it('is out of reach of production: svc-auth neither exports nor imports it', () => {
    expect(Object.keys(production).filter((name) => /authenticator$/i.test(name))).toEqual([]);
    const importers = readSource()
      .filter(({ text }) => text.includes('/software-authenticator.js'))
      .map((file) => path.basename(file.path));
    expect(importers).toEqual(['testing.ts']);
  });
});
