/** Races for links, reset tokens, passwords, and the address of an account. */
import { callsAtOnce, codeFor, mailedToken, moving, scenario, signedUp, winners } from '../scenario.js';

const password = 'correct horse battery';
const wrong = (index: number) => `wrong password ${index}`;
const failedLogins = ['invalid_credentials', 'rate_limit_exceeded'];
const minute = 60_000;

export const linksAndPasswords = [
  scenario({
    name: 'a link signs in once',
    refusals: ['token_invalid'],
    async prepare(world) {
      const email = world.person();
      await world.service.magicLink.sendLink({ email });
      return mailedToken(world, email);
    },
    call: (token) => ({ method: 'magicLink.verify', args: [token, { startSession: true }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 1, token_invalid: callsAtOnce - 1 });
    },
  }),
  scenario({
    name: 'a reset token sets one password, and that one counts',
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
    held: ({ email }) => ({ table: 'svc_users', where: ['email', email] }),
    async expect({ outcomes, tally }, { email }, { service }) {
      expect(tally).toEqual({ ok: 1, token_invalid: callsAtOnce - 1 });
      const winner = wrong(outcomes.indexOf('ok'));
      await service.emailPassword.login({ email, password: winner });
      for (const loser of [password, wrong(callsAtOnce)]) {
        await expect(service.emailPassword.login({ email, password: loser })).rejects.toMatchObject({
          code: 'invalid_credentials',
        });
      }
    },
  }),
  scenario({
    name: 'resets of an address are mailed five times, and all answer alike',
    refusals: [],
    async prepare(world) {
      const email = world.person();
      await world.service.emailPassword.signup({ email, password });
      return email;
    },
    call: (email) => ({ method: 'emailPassword.requestReset', args: [{ email }], tell: 'sent' }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ 'ok:true': callsAtOnce });
      expect(mails).toHaveLength(5);
    },
  }),
  scenario({
    name: 'a reset link does not set the password of an account whose address changed while it was being sent',
    refusals: ['token_invalid'],
    options: { rateLimit: { maxPerWindow: 100 } },
    async prepare(world) {
      const movers = [];
      for (let i = 0; i < 5; i += 1) {
        const { userId, ...change } = await moving(world);
        const user = await world.adapter.users.findById(userId);
        movers.push({ oldEmail: user!.email!, change: { userId, ...change } });
      }
      return movers;
    },
    // Every request of a reset charges the counters of its address, which spreads them over the time of the change.
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
    name: 'ten wrong passwords of a client for an address are looked at',
    refusals: failedLogins,
    async prepare({ service, person }) {
      const email = person();
      await service.emailPassword.signup({ email, password });
      return email;
    },
    call: (email, index) => ({ method: 'emailPassword.login', args: [{ email, password: wrong(index) }] }),
    expect({ tally }) {
      expect(tally).toEqual({ invalid_credentials: 10, rate_limit_exceeded: callsAtOnce - 10 });
    },
  }),
  ...[
    { limit: 'perAddress', of: 'for an address, from wherever', sameAddress: true },
    { limit: 'perIp', of: 'of a client, for whomever', sameAddress: false },
  ].map(({ limit, of, sameAddress }) =>
    scenario({
      name: `as many wrong passwords ${of}, are looked at as configured`,
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
        expect(tally).toEqual({ invalid_credentials: 7, rate_limit_exceeded: callsAtOnce - 7 });
      },
    }),
  ),
  scenario({
    name: 'an address is signed up once, with the password of the winner',
    refusals: ['email_exists'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailPassword.signup',
      args: [{ email, password: wrong(index) }, { startSession: true }],
      tell: 'user.id',
    }),
    async expect(seen, email, { service, adapter }) {
      expect(winners(seen)).toBe(1);
      const winner = seen.outcomes.findIndex((outcome) => outcome.startsWith('ok'));
      const { user } = await service.emailPassword.login({ email, password: wrong(winner) });
      expect([(await adapter.users.findByEmail(email))?.id, ...seen.told]).toEqual([user.id, user.id]);
    },
  }),
  scenario({
    name: 'a password is changed from the one before it once',
    refusals: ['invalid_credentials', 'rate_limit_exceeded'],
    prepare: (world) => signedUp(world, password),
    call: ({ userId }, index) => ({
      method: 'emailPassword.changePassword',
      args: [{ userId, currentPassword: password, newPassword: wrong(index) }],
    }),
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    expect(seen) {
      expect(winners(seen)).toBe(1);
    },
  }),
  scenario({
    name: 'signup, code, link and guest upgrade for one address at once make one user, who is verified',
    refusals: [
      ...['email_exists', 'code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'],
      ...['token_invalid', 'not_authorized'],
    ],
    async prepare(world) {
      const email = world.person();
      const code = await codeFor(world, email);
      await world.service.magicLink.sendLink({ email });
      const guests: string[] = [];
      for (let i = 0; i < callsAtOnce / 5; i += 1)
        guests.push((await world.service.sessionsProvider.createGuest()).user.id);
      return { email, code, token: mailedToken(world, email), guests };
    },
    call({ email, code, token, guests }, index) {
      const [context, tell] = [{ startSession: true }, 'user.id'];
      const userId = guests[Math.floor(index / 5)];
      return [
        { method: 'emailPassword.signup', args: [{ email, password }, context], tell },
        { method: 'emailCode.verify', args: [{ email, code }, context], tell },
        { method: 'magicLink.verify', args: [token, context], tell },
        { method: 'emailPassword.upgradeGuest', args: [{ userId, email, password }, context], tell },
        { method: 'emailCode.verify', args: [{ email, code }, context], tell },
      ][index % 5]!;
    },
    async expect({ told }, { email }, { adapter }) {
      const user = await adapter.users.findByEmail(email);
      expect([...new Set(told)]).toEqual([user?.id]);
      expect(user?.emailVerified).toBe(true);
    },
  }),
];
