/** Races for passkeys: challenges, ids, the signature counter that detects copies, and limits. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { concurrentCalls, oneWinner, scenario, verifiedUser, winners, type World } from '../scenario.js';

async function startRegistration(world: World) {
  const user = await verifiedUser(world);
  const authenticator = softwareAuthenticator();
  const { options, challenge } = await world.service.webauthn.startRegistration(user.id);
  return { user, authenticator, options, challenge };
}

async function registerPasskey(world: World) {
  const { user, authenticator, options, challenge } = await startRegistration(world);
  const response = authenticator.create(options);
  const input = { userId: user.id, response, expectedChallenge: challenge };
  await world.service.webauthn.finishRegistration(input);
  return { user, authenticator };
}

export const passkeys = [
  scenario({
    name: 'registers one passkey per challenge, for any number of authenticators',
    refusals: ['token_invalid', 'invalid_request'],
    async prepare(world) {
      const { user, options, challenge } = await startRegistration(world);
      const responses = Array.from({ length: 5 }, () => softwareAuthenticator().create(options));
      return { userId: user.id, responses, challenge };
    },
    call: ({ userId, responses, challenge }, index) => ({
      method: 'webauthn.finishRegistration',
      args: [{ userId, response: responses[index % responses.length], expectedChallenge: challenge }],
    }),
    async expect({ tally }, { userId }, { service }) {
      expect(tally).toEqual(oneWinner('token_invalid'));
      expect(await service.webauthn.listCredentials(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'creates one user per challenge of a sign-up, for any number of authenticators',
    refusals: ['token_invalid'],
    async prepare(world) {
      const email = world.person();
      await world.service.webauthn.sendSignUpCode({ email });
      const code = world.mail.lastCode(email)!;
      const { options, challenge } = await world.service.webauthn.startSignUp({ email, code });
      const responses = Array.from({ length: 5 }, () => softwareAuthenticator().create(options));
      return { email, responses, challenge };
    },
    call: ({ responses, challenge }, index) => ({
      method: 'webauthn.finishSignUp',
      args: [
        { response: responses[index % responses.length], expectedChallenge: challenge },
        { startSession: true },
      ],
    }),
    async expect({ tally, events }, { email }, { service }) {
      expect(tally).toEqual(oneWinner('token_invalid'));
      expect(events.filter((name) => name === 'user.created')).toHaveLength(1);
      const user = await service.users.find({ email });
      expect(await service.webauthn.listCredentials(user!.id)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'reclaims an account for one of several sign-ups with a passkey, with its metadata',
    refusals: ['token_invalid', 'email_exists'],
    async prepare(world) {
      const email = world.person();
      const { webauthn, emailPassword } = world.service;
      const { user } = await emailPassword.signup({ email, password: 'correct horse battery' });
      const inputs = [];
      for (let count = 0; count < 5; count += 1) {
        await webauthn.sendSignUpCode({ email });
        const sent = { email, code: world.mail.lastCode(email)!, metadata: { count } };
        const { options, challenge } = await webauthn.startSignUp(sent);
        inputs.push({ response: softwareAuthenticator().create(options), expectedChallenge: challenge });
      }
      return { userId: user.id, inputs };
    },
    call: ({ inputs }, index) => ({
      method: 'webauthn.finishSignUp',
      args: [inputs[index % inputs.length], { startSession: true }],
      resultPath: 'user.metadata.count',
    }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect({ values, events }, { userId }, { service }) {
      expect(values).toHaveLength(1);
      expect(events.filter((name) => name === 'user.claimed')).toHaveLength(1);
      expect(await service.webauthn.listCredentials(userId)).toHaveLength(1);
      const user = await service.users.get(userId);
      expect(user).toMatchObject({ emailVerified: true, metadata: { count: Number(values[0]) } });
    },
  }),
  scenario({
    name: 'registers the id of a passkey once, for any number of users',
    refusals: ['token_invalid', 'invalid_request'],
    async prepare(world) {
      const credentialId = Buffer.from(world.person()).toString('base64url');
      const inputs: object[] = [];
      for (let i = 0; i < 10; i += 1) {
        const { user, authenticator, options, challenge } = await startRegistration(world);
        const response = authenticator.create(options, { credentialId });
        inputs.push({ userId: user.id, response, expectedChallenge: challenge });
      }
      return inputs;
    },
    call: (inputs, index) => ({
      method: 'webauthn.finishRegistration',
      args: [inputs[index % inputs.length]],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 1, invalid_request: 9, token_invalid: concurrentCalls - 10 });
    },
  }),
  scenario({
    name: 'signs in once per challenge, although every response has a higher counter',
    refusals: ['token_invalid'],
    async prepare(world) {
      const { user, authenticator } = await registerPasskey(world);
      const { options, challenge } = await world.service.webauthn.startAuthentication();
      const responses = Array.from({ length: 5 }, () => authenticator.get(options));
      return { user, responses, challenge };
    },
    call: ({ responses, challenge }, index) => ({
      method: 'webauthn.finishAuthentication',
      args: [
        { response: responses[index % responses.length], expectedChallenge: challenge },
        { startSession: true },
      ],
      resultPath: 'user.id',
    }),
    expect(result, { user }) {
      expect(winners(result)).toBe(1);
      expect(result.values).toEqual([user.id]);
    },
  }),
  scenario({
    name: 'accepts a value of the signature counter once, for any number of challenges',
    refusals: ['token_invalid'],
    async prepare(world) {
      const { user, authenticator } = await registerPasskey(world);
      const inputs: object[] = [];
      for (let i = 0; i < concurrentCalls; i += 1) {
        const { options, challenge } = await world.service.webauthn.startAuthentication(user.id);
        const response = authenticator.get(options, { counter: 7 });
        inputs.push({ userId: user.id, response, expectedChallenge: challenge });
      }
      return { user, inputs };
    },
    call: ({ inputs }, index) => ({ method: 'webauthn.finishAuthentication', args: [inputs[index]] }),
    expect({ tally, events }) {
      expect(tally).toEqual(oneWinner('token_invalid'));
      expect(events.filter((name) => name === 'passkey.counter_regressed')).toHaveLength(concurrentCalls - 1);
    },
  }),
  scenario({
    name: 'allows thirty passkey registrations of one user to start',
    refusals: ['rate_limit_exceeded'],
    prepare: verifiedUser,
    call: ({ id }) => ({ method: 'webauthn.startRegistration', args: [id] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 30, rate_limit_exceeded: concurrentCalls - 30 });
    },
  }),
  scenario({
    name: 'issues two hundred challenges to one client',
    refusals: ['rate_limit_exceeded'],
    async prepare({ service }) {
      const ip = '192.0.2.9';
      for (let i = 0; i < 190; i += 1) await service.webauthn.startAuthentication(undefined, { ip });
      return ip;
    },
    call: (ip) => ({ method: 'webauthn.startAuthentication', args: [undefined, { ip }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 10, rate_limit_exceeded: concurrentCalls - 10 });
    },
  }),
  scenario({
    name: 'removes a passkey once, and rejects it afterwards',
    refusals: ['invalid_request', 'token_invalid'],
    async prepare(world) {
      const { user, authenticator } = await registerPasskey(world);
      const inputs: object[] = [];
      for (let i = 0; i < concurrentCalls / 2; i += 1) {
        const { options, challenge } = await world.service.webauthn.startAuthentication();
        inputs.push({ response: authenticator.get(options), expectedChallenge: challenge });
      }
      return { user, authenticator, inputs };
    },
    call: ({ user, authenticator, inputs }, index) =>
      index % 2 === 0
        ? { method: 'webauthn.removeCredential', args: [user.id, authenticator.credentials[0]!.id] }
        : { method: 'webauthn.finishAuthentication', args: [inputs[(index - 1) / 2]], resultPath: 'user.id' },
    async expect({ tally, events }, { user, authenticator }, { service }) {
      expect(tally['ok']).toBe(1);
      expect(events.filter((name) => name === 'passkey.removed')).toHaveLength(1);
      // A key that is removed concurrently is not a copy, but responses in another order than their counters look like one.
      expect(await service.webauthn.listCredentials(user.id)).toEqual([]);
      const { options, challenge } = await service.webauthn.startAuthentication();
      const input = { response: authenticator.get(options), expectedChallenge: challenge };
      await expect(service.webauthn.finishAuthentication(input)).rejects.toMatchObject({
        code: 'token_invalid',
      });
    },
  }),
];
