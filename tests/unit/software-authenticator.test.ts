// The authenticator of svc-auth/testing, checked with the library that verifies real ones
// (docs/security-requirements.md A-97).
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
  type TamperOptions,
  type SoftwareAuthenticatorOptions,
} from 'svc-auth/testing';
import { readLibrary } from '../architecture/source-graph.js';
import { errorOf } from '../support/outcomes.js';

const rpID = 'acme.test';
const origin = 'https://acme.test';
const userID = new Uint8Array([1, 2, 3]);

const creation = (id = rpID) =>
  generateRegistrationOptions({ rpID: id, rpName: 'Acme', userName: 'ada', userID });
const request = (id = rpID) => generateAuthenticationOptions({ rpID: id });

/** Decodes a response with the library. */
function decodedResponse({ id, response }: RegistrationResponseJSON | AuthenticationResponseJSON) {
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

async function registerAndSignIn(options: SoftwareAuthenticatorOptions = {}, tamper: TamperOptions = {}) {
  const authenticator = softwareAuthenticator(options);
  const creationOptions = await creation();
  const expected = { expectedOrigin: origin, expectedRPID: rpID };
  const registration = await verifyRegistrationResponse({
    response: authenticator.create(creationOptions),
    expectedChallenge: creationOptions.challenge,
    ...expected,
  });
  if (!registration.verified) throw new Error('The registration could not be verified.');
  const { credential } = registration.registrationInfo;
  const requestOptions = await request();
  const authentication = await verifyAuthenticationResponse({
    response: authenticator.get(requestOptions, tamper),
    expectedChallenge: requestOptions.challenge,
    credential,
    ...expected,
  });
  return { registration: registration.registrationInfo, authentication };
}

describe('softwareAuthenticator()', () => {
  //
  it.each(['ES256', 'EdDSA'] as const)(
    'the software authenticator signs with %s, and the library verifies the signature',
    async (algorithm) => {
      const { registration, authentication } = await registerAndSignIn({ algorithm });
      expect(registration).toMatchObject({
        fmt: 'none',
        userVerified: true,
        credentialDeviceType: 'singleDevice',
        credentialBackedUp: false,
        credential: { counter: 1, transports: ['internal'] },
      });
      expect(authentication).toMatchObject({
        verified: true,
        authenticationInfo: { newCounter: 2, userVerified: true },
      });
    },
  );

  it('a forged response has a signature that does not verify', async () => {
    expect((await registerAndSignIn({}, { forged: true })).authentication.verified).toBe(false);
    expect((await registerAndSignIn({ algorithm: 'EdDSA' }, { forged: true })).authentication.verified).toBe(
      false,
    );
  });

  it('the responses of the software authenticator match its options', async () => {
    const flags = { userVerified: false, backupEligible: true, backedUp: true };
    const authenticator = softwareAuthenticator({
      flags,
      counter: 0,
      origin: 'https://login.acme.test:8443',
    });
    const expected = { ...flags, userPresent: true, counter: 0, origin: 'https://login.acme.test:8443' };
    expect(decodedResponse(authenticator.create(await creation()))).toMatchObject(expected);
    expect(decodedResponse(authenticator.get(await request()))).toMatchObject(expected);
    expect(decodedResponse(authenticator.get(await request()))).toMatchObject(expected);
  });

  it('the software authenticator increments its counter with each signature', async () => {
    const authenticator = softwareAuthenticator({ counter: 41 });
    expect(decodedResponse(authenticator.create(await creation())).counter).toBe(41);
    expect(decodedResponse(authenticator.get(await request())).counter).toBe(42);
    expect(decodedResponse(authenticator.get(await request(), { counter: 7 })).counter).toBe(7);
    expect(decodedResponse(authenticator.get(await request())).counter).toBe(44);
  });

  const tampering: [string, TamperOptions][] = [
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

  it.each(tampering)('TamperOptions change %s in one response, and nothing else', async (_name, tamper) => {
    const creationOptions = await creation();
    const requestOptions = await request();
    // The counter of a key changes with each use, so the responses come from two authenticators.
    const [honest, tampered] = [softwareAuthenticator(), softwareAuthenticator()];
    const fixed = { credentialId: Buffer.alloc(32, 7).toString('base64url') };
    const expected = decodedResponse(honest.create(creationOptions, fixed));
    expect(decodedResponse(tampered.create(creationOptions, { ...fixed, ...tamper }))).toEqual({
      ...expected,
      ...tamper,
    });
    // The tampering applies to one response.
    const expectedLater = decodedResponse(honest.get(requestOptions));
    expect(decodedResponse(tampered.get(requestOptions))).toEqual({
      ...expectedLater,
      ...('counter' in tamper && { counter: 9001 }),
    });
    honest.get(requestOptions);
    expect(decodedResponse(tampered.get(requestOptions, tamper))).toEqual({
      ...decodedResponse(honest.get(requestOptions)),
      counter: expect.any(Number),
      ...tamper,
    });
  });

  it('TamperOptions can change the domain of a response', async () => {
    const authenticator = softwareAuthenticator();
    const honest = decodedResponse(authenticator.create(await creation()));
    const tampered = decodedResponse(authenticator.create(await creation(), { rpId: 'evil.test' }));
    expect(tampered.rpIdHash).not.toBe(honest.rpIdHash);
    expect(tampered.origin).toBe(honest.origin);
  });

  it('TamperOptions can change the credential and the user of a response', async () => {
    const authenticator = softwareAuthenticator();
    const credentialId = Buffer.alloc(2000, 1).toString('base64url');
    const registration = decodedResponse(authenticator.create(await creation(), { credentialId }));
    expect(registration).toMatchObject({ id: credentialId, attestedId: credentialId });
    const requestOptions = await request();
    expect(decodedResponse(authenticator.get(requestOptions)).userHandle).toBe(
      Buffer.from(userID).toString('base64url'),
    );
    expect(
      decodedResponse(authenticator.get(requestOptions, { userHandle: 'AAAA', credentialId: 'BBBB' })),
    ).toMatchObject({
      userHandle: 'AAAA',
      id: 'BBBB',
    });
    expect(authenticator.get(requestOptions, { userHandle: null }).response).not.toHaveProperty('userHandle');
  });

  it('the software authenticator responds with the newest matching key of the domain', async () => {
    const authenticator = softwareAuthenticator();
    const first = authenticator.create(await creation());
    const second = authenticator.create(await creation());
    authenticator.create(await creation('other.test'));
    const requestOptions = await request();
    expect(authenticator.get(requestOptions).id).toBe(second.id);
    const allowCredentials = [{ id: first.id, type: 'public-key' as const }];
    expect(authenticator.get({ ...requestOptions, allowCredentials }).id).toBe(first.id);
    expect(authenticator.credentials.map(({ rpId }) => rpId)).toEqual([rpID, rpID, 'other.test']);
    expect((await errorOf(() => softwareAuthenticator().get(requestOptions))).message).toContain('no key');
  });

  it('the software authenticator refuses an excluded key and an algorithm that was not requested, as a browser does', async () => {
    const authenticator = softwareAuthenticator({ algorithm: 'EdDSA' });
    const creationOptions = await creation();
    const { id } = authenticator.create(creationOptions);
    const excludeCredentials = [{ id, type: 'public-key' as const }];
    const again = () => authenticator.create({ ...creationOptions, excludeCredentials });
    expect((await errorOf(again)).message).toContain('excluded');
    expect(softwareAuthenticator().create({ ...creationOptions, excludeCredentials }).id).not.toBe(id);
    const pubKeyCredParams = [{ alg: -7, type: 'public-key' as const }];
    const other = () => authenticator.create({ ...creationOptions, pubKeyCredParams });
    expect((await errorOf(other)).message).toContain('do not allow the algorithm');
    expect(authenticator.credentials).toHaveLength(1);
  });

  it('svc-auth neither exports nor imports the software authenticator', () => {
    expect(Object.keys(production).filter((name) => /authenticator$/i.test(name))).toEqual([]);
    const importers = readLibrary()
      .filter(({ text }) => text.includes('/software-authenticator.js'))
      .map((file) => path.basename(file.path));
    expect(importers).toEqual(['index.ts']);
  });
});
