/** Races for links, reset tokens, passwords and the address of an account. */
import { differentCode } from '../../../support/site-actions.js';
import {
  concurrentCalls,
  codeFor,
  mailedToken,
  requestEmailChange,
  scenario,
  signUp,
  winners,
} from '../scenario.js';

const password = 'correct horse battery';
const wrong = (index: number) => `wrong password ${index}`;
const failedLogins = ['invalid_credentials', 'rate_limit_exceeded'];
const minute = 60_000;

export const linksAndPasswords = [
  scenario({
    name: 'signs in once with a magic link',
    refusals: ['token_invalid'],
    async prepare(world) {
      const email = world.person();
      await world.service.magicLink.sendLink({ email });
      return mailedToken(world, email);
    },
    call: (token) => ({ method: 'magicLink.verify', args: [token, { startSession: true }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 1, token_invalid: concurrentCalls - 1 });
    },
  }),
  scenario({
    name: 'signs in once with the link or the code of one mail',
    refusals: ['token_invalid', 'code_not_found', 'rate_limit_exceeded'],
    options: { links: { withCode: true } },
    async prepare(world) {
      const email = world.person();
      await world.service.magicLink.sendLink({ email });
      return { email, code: world.mail.lastCode(email)!, token: mailedToken(world, email) };
    },
    call: ({ token, ...guess }, index) =>
      index % 2 === 0
        ? { method: 'magicLink.verifyCode', args: [guess, { startSession: true }] }
        : { method: 'magicLink.verify', args: [token, { startSession: true }] },
    lockedRows: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    expect({ tally }) {
      expect(tally['ok']).toBe(1);
      expect(tally['token_invalid']).toBeGreaterThanOrEqual(concurrentCalls / 2 - 1);
    },
  }),
  scenario({
    name: 'signs in once with a link that is confirmed and opened in the browser that asked',
    refusals: ['token_invalid'],
    options: { links: { confirmElsewhere: true } },
    async prepare(world) {
      const email = world.person();
      const { browserToken } = await world.service.magicLink.sendLink({ email });
      return { token: mailedToken(world, email), browserTokens: [browserToken] };
    },
    call: ({ token, browserTokens }, index) => ({
      method: 'magicLink.openLink',
      args: [index % 2 === 0 ? { token, confirmed: true } : { token, browserTokens }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 1, token_invalid: concurrentCalls - 1 });
    },
  }),
  scenario({
    name: 'sets one password with a reset token, which is the password of the winner',
    refusals: ['token_invalid'],
    async prepare(world) {
      const email = world.person();
      await world.service.emailPassword.signup({ email, password });
      await world.service.emailPassword.requestReset({ email });
      await world.service.close();
      return { email, token: mailedToken(world, email) };
    },
    call: ({ token }, index) => ({
      method: 'emailPassword.setPassword',
      args: [{ token, newPassword: wrong(index) }],
    }),
    lockedRows: ({ email }) => ({ table: 'svc_users', where: ['email', email] }),
    async expect({ outcomes, tally }, { email }, { service }) {
      expect(tally).toEqual({ ok: 1, token_invalid: concurrentCalls - 1 });
      const winner = wrong(outcomes.indexOf('ok'));
      await service.emailPassword.login({ email, password: winner });
      for (const loser of [password, wrong(concurrentCalls)]) {
        await expect(service.emailPassword.login({ email, password: loser })).rejects.toMatchObject({
          code: 'invalid_credentials',
        });
      }
    },
  }),
  scenario({
    name: 'sets one password with a reset code, which is the password of the winner',
    refusals: ['code_not_found', 'rate_limit_exceeded'],
    async prepare(world) {
      const { email } = await signUp(world, password);
      await world.service.emailPassword.requestReset({ email });
      await world.service.close();
      return { email, code: world.mail.lastCode(email)! };
    },
    call: ({ email, code }, index) => ({
      method: 'emailPassword.setPassword',
      args: [{ email, code, newPassword: wrong(index) }],
    }),
    lockedRows: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect({ outcomes, tally }, { email }, { service }) {
      expect(tally['ok']).toBe(1);
      await service.emailPassword.login({ email, password: wrong(outcomes.indexOf('ok')) });
    },
  }),
  scenario({
    name: 'sets one password with the link and the code of the same reset mail',
    refusals: ['token_invalid', 'code_not_found', 'rate_limit_exceeded'],
    async prepare(world) {
      const { email } = await signUp(world, password);
      await world.service.emailPassword.requestReset({ email });
      await world.service.close();
      return { email, code: world.mail.lastCode(email)!, token: mailedToken(world, email) };
    },
    call: ({ email, code, token }, index) => ({
      method: 'emailPassword.setPassword',
      args: [{ ...(index % 2 ? { token } : { email, code }), newPassword: wrong(index) }],
    }),
    lockedRows: ({ email }) => ({ table: 'svc_users', where: ['email', email] }),
    async expect({ outcomes, tally }, { email }, { service }) {
      expect(tally['ok']).toBe(1);
      await service.emailPassword.login({ email, password: wrong(outcomes.indexOf('ok')) });
    },
  }),
  scenario({
    name: 'evaluates five wrong guesses at a reset code, then rejects the correct one',
    refusals: ['code_invalid', 'max_attempts_exceeded', 'rate_limit_exceeded'],
    async prepare(world) {
      const { email } = await signUp(world, password);
      await world.service.emailPassword.requestReset({ email });
      await world.service.close();
      return { email, code: world.mail.lastCode(email)! };
    },
    call: ({ email, code }, index) => ({
      method: 'emailPassword.setPassword',
      args: [{ email, code: differentCode(code), newPassword: wrong(index) }],
    }),
    lockedRows: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect({ tally }, input, { service }) {
      expect(tally['code_invalid']).toBe(5);
      const reset = service.emailPassword.setPassword({ ...input, newPassword: wrong(0) });
      await expect(reset).rejects.toMatchObject({ code: 'max_attempts_exceeded' });
      await service.emailPassword.login({ email: input.email, password });
    },
  }),
  scenario({
    name: 'mails five resets to one address, and returns the same result for every request',
    refusals: [],
    async prepare(world) {
      const email = world.person();
      await world.service.emailPassword.signup({ email, password });
      return email;
    },
    call: (email) => ({ method: 'emailPassword.requestReset', args: [{ email }], resultPath: 'sent' }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ 'ok:true': concurrentCalls });
      expect(mails).toHaveLength(5);
    },
  }),
  scenario({
    name: 'does not set the password of an account whose address changed while its reset link was being sent',
    refusals: ['token_invalid'],
    options: { rateLimit: { maxPerWindow: 100 } },
    async prepare(world) {
      const movers = [];
      for (let i = 0; i < 5; i += 1) {
        const { userId, ...change } = await requestEmailChange(world);
        const user = await world.adapter.users.findById(userId);
        movers.push({ oldEmail: user!.email!, change: { userId, ...change } });
      }
      return movers;
    },
    // Every reset request counts against the limits of its address, which spreads the requests over the time of the change.
    call(movers, index) {
      const { oldEmail, change } = movers[index % movers.length]!;
      return index < movers.length
        ? { method: 'account.confirmEmailChange', args: [change] }
        : { method: 'emailPassword.requestReset', args: [{ email: oldEmail }] };
    },
    async expect({ mails }, movers, { service, adapter }) {
      let takenOver = 0;
      for (const { oldEmail, change } of movers) {
        expect(await adapter.users.findById(change.userId)).toMatchObject({ email: change.email });
        for (const { text } of mails.filter(({ to, kind }) => to === oldEmail && kind === 'password_reset')) {
          const token = new URL(/https?:\S+/.exec(text)![0]).searchParams.get('token')!;
          const reset = service.emailPassword.setPassword({ token, newPassword: wrong(0) });
          takenOver += await reset.then(
            () => 1,
            () => 0,
          );
        }
      }
      expect(takenOver).toBe(0);
    },
  }),
  scenario({
    name: 'evaluates ten wrong passwords of one client for one address',
    refusals: failedLogins,
    async prepare({ service, person }) {
      const email = person();
      await service.emailPassword.signup({ email, password });
      return email;
    },
    call: (email, index) => ({ method: 'emailPassword.login', args: [{ email, password: wrong(index) }] }),
    expect({ tally }) {
      expect(tally).toEqual({ invalid_credentials: 10, rate_limit_exceeded: concurrentCalls - 10 });
    },
  }),
  ...[
    { limit: 'perAddress', scope: 'for one address from any clients', sameAddress: true },
    { limit: 'perIp', scope: 'of one client for any addresses', sameAddress: false },
  ].map(({ limit, scope, sameAddress }) =>
    scenario({
      name: `evaluates as many wrong passwords ${scope} as configured`,
      refusals: failedLogins,
      options: { rateLimit: { login: { [limit]: { max: 7, windowMs: 15 * minute } } } },
      prepare: async ({ person }) => person(),
      call: (email, index) => ({
        method: 'emailPassword.login',
        args: [
          { email: sameAddress ? email : `${index}-${email}`, password },
          { ip: sameAddress ? `198.51.100.${index}` : '203.0.113.9' },
        ],
      }),
      expect({ tally }) {
        expect(tally).toEqual({ invalid_credentials: 7, rate_limit_exceeded: concurrentCalls - 7 });
      },
    }),
  ),
  scenario({
    name: 'signs up an address once, with the password of the winner',
    refusals: ['email_exists'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailPassword.signup',
      args: [{ email, password: wrong(index) }, { startSession: true }],
      resultPath: 'user.id',
    }),
    async expect(result, email, { service, adapter }) {
      expect(winners(result)).toBe(1);
      const winner = result.outcomes.findIndex((outcome) => outcome.startsWith('ok'));
      const { user } = await service.emailPassword.login({ email, password: wrong(winner) });
      expect([(await adapter.users.findByEmail(email))?.id, ...result.values]).toEqual([user.id, user.id]);
    },
  }),
  scenario({
    name: 'changes a password once with the same current password',
    refusals: ['invalid_credentials', 'rate_limit_exceeded'],
    prepare: (world) => signUp(world, password),
    call: ({ userId }, index) => ({
      method: 'emailPassword.changePassword',
      args: [{ userId, currentPassword: password, newPassword: wrong(index) }],
    }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    expect(result) {
      expect(winners(result)).toBe(1);
    },
  }),
  scenario({
    name: 'creates one verified user from concurrent signups, codes, links and guest upgrades for one address',
    refusals: [
      ...['email_exists', 'code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'],
      ...['token_invalid', 'not_authorized'],
    ],
    async prepare(world) {
      const email = world.person();
      const code = await codeFor(world, email);
      await world.service.magicLink.sendLink({ email });
      const guests: string[] = [];
      for (let i = 0; i < concurrentCalls / 5; i += 1)
        guests.push((await world.service.sessionsProvider.createGuest()).user.id);
      return { email, code, token: mailedToken(world, email), guests };
    },
    call({ email, code, token, guests }, index) {
      const [context, resultPath] = [{ startSession: true }, 'user.id'];
      const userId = guests[Math.floor(index / 5)];
      return [
        { method: 'emailPassword.signup', args: [{ email, password }, context], resultPath },
        { method: 'emailCode.verify', args: [{ email, code }, context], resultPath },
        { method: 'magicLink.verify', args: [token, context], resultPath },
        { method: 'emailPassword.upgradeGuest', args: [{ userId, email, password }, context], resultPath },
        { method: 'emailCode.verify', args: [{ email, code }, context], resultPath },
      ][index % 5]!;
    },
    async expect({ values }, { email }, { adapter }) {
      const user = await adapter.users.findByEmail(email);
      expect([...new Set(values)]).toEqual([user?.id]);
      expect(user?.emailVerified).toBe(true);
    },
  }),
];
