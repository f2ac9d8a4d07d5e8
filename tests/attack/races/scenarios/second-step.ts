/** Races for codes by email as the second factor, several authenticator apps, and trusted browsers. */
import { codeAt } from '../../../support/authenticator-app.js';
import { concurrentCalls, scenario, winners, type World } from '../scenario.js';

const password = 'correct horse battery';
const tooMany = 'max_attempts_exceeded';
const startSession = { startSession: true };
const trusting = { ...startSession, trustBrowser: true };

/** A verified user with a password, an authenticator app and codes by email. */
async function enroll({ service, mail, clock, person }: World) {
  const email = person();
  await service.emailCode.sendCode({ email });
  const code = mail.lastCode(email)!;
  const { user, session } = await service.emailCode.verify({ email, code }, startSession);
  await service.emailPassword.signup({ email, password }, { sessionToken: session!.token });
  const { secret } = await service.totp.beginEnrollment(user.id);
  const { recoveryCodes } = await service.totp.confirmEnrollment(user.id, codeAt(secret, clock.now()));
  await service.secondFactor.enableEmail(user.id);
  return { email, userId: user.id, recoveryCodes };
}

async function startSignIn(world: World, email: string): Promise<string> {
  return (await world.service.emailPassword.login({ email, password }, startSession)).pending!.token;
}

/** A pending sign-in with a code by email. */
async function startByEmail(world: World) {
  const account = await enroll(world);
  const token = await startSignIn(world, account.email);
  await world.service.secondFactor.sendEmailCode({ token });
  return { ...account, token, code: world.mail.lastCode(account.email)! };
}

const codeRefusals = ['token_invalid', 'code_invalid', 'code_not_found', tooMany];

export const secondStep = [
  scenario({
    name: 'finishes a pending sign-in once with a code by email',
    refusals: codeRefusals,
    prepare: startByEmail,
    call: ({ token, code }) => ({
      method: 'secondFactor.finishWithEmailCode',
      args: [{ token, code }, startSession],
    }),
    lockedRows: ({ userId }) => ({ table: 'svc_one_time_codes', where: ['subject', userId] }),
    async expect(result, { userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'evaluates five wrong codes by email and recovery codes in total',
    refusals: codeRefusals,
    prepare: startByEmail,
    call: ({ token, code }, index) =>
      index % 2 === 0
        ? {
            method: 'secondFactor.finishWithEmailCode',
            args: [{ token, code: code.replace(/^./, (digit) => String((Number(digit) + 1) % 10)) }],
          }
        : { method: 'totp.finishSignIn', args: [{ token, recoveryCode: 'no-such-code' }] },
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 5, [tooMany]: concurrentCalls - 5 });
    },
  }),
  scenario({
    name: 'adds an authenticator app once',
    refusals: ['code_not_found', 'code_invalid', tooMany],
    async prepare(world) {
      const { userId } = await enroll(world);
      const { secret } = await world.service.totp.beginEnrollment(userId);
      return { userId, code: codeAt(secret, world.clock.now()) };
    },
    call: ({ userId, code }) => ({ method: 'totp.addApp', args: [{ userId, code }] }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(result, { userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(await service.totp.listApps(userId)).toHaveLength(2);
    },
  }),
  scenario({
    name: 'trusts no browser beyond a concurrent sign-out everywhere',
    refusals: ['token_invalid', 'code_invalid', tooMany],
    async prepare(world) {
      const account = await enroll(world);
      return { ...account, token: await startSignIn(world, account.email) };
    },
    call: ({ userId, token, recoveryCodes }, index) =>
      index % 10 === 5
        ? { method: 'sessionsProvider.revokeAll', args: [userId] }
        : {
            method: 'totp.finishSignIn',
            args: [{ token, recoveryCode: recoveryCodes[index % recoveryCodes.length] }, trusting],
          },
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(_result, { userId }, { service }) {
      expect(await service.secondFactor.listTrustedBrowsers(userId)).toEqual([]);
      expect(await service.sessionsProvider.listDevices(userId)).toEqual([]);
    },
  }),
  scenario({
    name: 'signs in from a trusted browser only until its revocation',
    refusals: [],
    async prepare(world) {
      const account = await enroll(world);
      const { service } = world;
      const token = await startSignIn(world, account.email);
      const [recoveryCode] = account.recoveryCodes;
      const { trust } = await service.totp.finishSignIn({ token, recoveryCode }, trusting);
      const [browser] = await service.secondFactor.listTrustedBrowsers(account.userId);
      return { ...account, trustToken: trust!.token, id: browser!.id };
    },
    call: ({ email, userId, trustToken, id }, index) =>
      index % 10 === 5
        ? { method: 'secondFactor.revokeTrustedBrowser', args: [userId, id] }
        : {
            method: 'emailPassword.login',
            args: [
              { email, password },
              { ...startSession, trustToken },
            ],
          },
    async expect({ events }, { email, trustToken }, { service }) {
      expect(events.filter((name) => name === 'trusted_browser.revoked')).toHaveLength(1);
      const context = { ...startSession, trustToken };
      const { session, pending } = await service.emailPassword.login({ email, password }, context);
      expect([session, pending?.methods]).toEqual([undefined, ['totp', 'email', 'recovery']]);
    },
  }),
  scenario({
    name: 'ends the trust in a browser with its session, also while the browser is trusted again',
    refusals: ['token_invalid', 'code_invalid', tooMany],
    async prepare(world) {
      const account = await enroll(world);
      const { service } = world;
      const [recoveryCode, ...recoveryCodes] = account.recoveryCodes;
      const first = await startSignIn(world, account.email);
      const { session, trust } = await service.totp.finishSignIn({ token: first, recoveryCode }, trusting);
      const [browser] = await service.secondFactor.listTrustedBrowsers(account.userId);
      const token = await startSignIn(world, account.email);
      const context = { ...trusting, trustToken: trust!.token };
      return { ...account, recoveryCodes, token, context, sessionId: session!.session.id, id: browser!.id };
    },
    call: ({ token, recoveryCodes, context, sessionId }, index) =>
      index % 10 === 5
        ? { method: 'sessionsProvider.revokeDevice', args: [sessionId] }
        : {
            method: 'totp.finishSignIn',
            args: [{ token, recoveryCode: recoveryCodes[index % recoveryCodes.length] }, context],
          },
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect({ events }, { email, userId, id, context: { trustToken } }, { service }) {
      expect(events.filter((name) => name === 'session.revoked')).toHaveLength(1);
      // Trusted after the revocation, a browser is another one.
      const browsers = await service.secondFactor.listTrustedBrowsers(userId);
      expect(browsers.filter((browser) => browser.id === id)).toEqual([]);
      const context = { ...startSession, trustToken };
      expect((await service.emailPassword.login({ email, password }, context)).session).toBeUndefined();
    },
  }),
];
