/** Races for mailed and texted codes: one use, a bounded number of tries, a bounded number of sends. */
import { otherThan } from '../../../support/people.js';
import { callsAtOnce, codeFor, scenario, winners, type World } from '../scenario.js';

const sends = 5;
const tries = 5;
const refusedCodes = ['code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'];
const wrongGuesses = ['code_invalid', ...refusedCodes];

async function textedCode({ service, texts }: World, phone: string): Promise<string> {
  await service.phoneOtp.sendCode({ phone });
  return texts.lastCode(phone)!;
}

const anyCode = (index: number) => String(100_000 + index);

export const codes = [
  scenario({
    name: 'a mailed code signs in once',
    refusals: refusedCodes,
    async prepare(world) {
      const email = world.person();
      return { email, code: await codeFor(world, email) };
    },
    call: (input) => ({ method: 'emailCode.verify', args: [input, { startSession: true }], tell: 'user.id' }),
    held: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect(seen, { email }, { adapter, clock }) {
      expect(winners(seen)).toBe(1);
      const user = await adapter.users.findByEmail(email);
      expect(seen.told).toEqual([user?.id]);
      expect(await adapter.sessions.listLive(user!.id, new Date(clock.now()))).toHaveLength(1);
    },
  }),
  scenario({
    name: 'wrong guesses of a mailed code are evaluated five times at most, and then the right one is too late',
    refusals: wrongGuesses,
    async prepare(world) {
      const email = world.person();
      return { email, code: await codeFor(world, email) };
    },
    call: ({ email, code }) => ({ method: 'emailCode.verify', args: [{ email, code: otherThan(code) }] }),
    held: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect({ tally }, input, { service }) {
      expect(tally['code_invalid']).toBe(tries);
      await expect(service.emailCode.verify(input)).rejects.toMatchObject({ code: 'max_attempts_exceeded' });
    },
  }),
  scenario({
    name: 'guesses across codes are evaluated ten times at most',
    refusals: wrongGuesses,
    async prepare(world) {
      const email = world.person();
      for (const wrong of [tries, tries - 1]) {
        const guess = { email, code: otherThan(await codeFor(world, email)) };
        for (let i = 0; i < wrong; i += 1) await world.service.emailCode.verify(guess).catch(() => undefined);
      }
      return { email, code: otherThan(await codeFor(world, email)) };
    },
    call: (guess) => ({ method: 'emailCode.verify', args: [guess] }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 1, rate_limit_exceeded: callsAtOnce - 1 });
    },
  }),
  ...[
    { method: 'emailCode.sendCode', kind: 'email_code' },
    { method: 'magicLink.sendLink', kind: 'magic_link' },
  ].map(({ method, kind }) =>
    scenario({
      name: `${method} mails an address five times`,
      refusals: ['rate_limit_exceeded'],
      prepare: async ({ person }) => person(),
      call: (email) => ({ method, args: [{ email }] }),
      expect({ tally, mails }) {
        expect(tally).toEqual({ ok: sends, rate_limit_exceeded: callsAtOnce - sends });
        expect(mails.map((mail) => mail.kind)).toEqual(Array(sends).fill(kind));
      },
    }),
  ),
  scenario({
    name: 'addresses of one mailbox get ten mails together',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailCode.sendCode',
      args: [{ email: email.replace('@', `+${index}@`) }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 2 * sends, rate_limit_exceeded: callsAtOnce - 2 * sends });
    },
  }),
  scenario({
    name: 'a client makes no more than a hundred mails go out, to whomever',
    refusals: ['rate_limit_exceeded'],
    options: { rateLimit: { maxPerWindow: 1 } },
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailCode.sendCode',
      args: [{ email: `${index}-${email}` }, { ip: '192.0.2.7' }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: callsAtOnce - 20 });
    },
  }),
  scenario({
    name: 'a texted code signs in once, and makes one user',
    refusals: refusedCodes,
    async prepare(world) {
      const phone = world.phone();
      return { phone, code: await textedCode(world, phone) };
    },
    call: (input) => ({ method: 'phoneOtp.verify', args: [input], tell: 'user.id' }),
    held: ({ phone }) => ({ table: 'svc_one_time_codes', where: ['subject', phone] }),
    async expect(seen, { phone }, { adapter }) {
      expect(winners(seen)).toBe(1);
      expect(seen.told).toEqual([(await adapter.identities.findUser('phone', phone))?.id]);
    },
  }),
  scenario({
    name: 'wrong guesses of a texted code are evaluated five times at most',
    refusals: wrongGuesses,
    async prepare(world) {
      const phone = world.phone();
      return { phone, code: otherThan(await textedCode(world, phone)) };
    },
    call: (guess) => ({ method: 'phoneOtp.verify', args: [guess] }),
    held: ({ phone }) => ({ table: 'svc_one_time_codes', where: ['subject', phone] }),
    expect({ tally }) {
      expect(tally['code_invalid']).toBe(tries);
    },
  }),
  scenario({
    name: 'a number is texted five times',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ phone }) => phone(),
    call: (phone) => ({ method: 'phoneOtp.sendCode', args: [{ phone }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: sends, rate_limit_exceeded: callsAtOnce - sends });
    },
  }),
  scenario({
    name: 'a client has twenty texts sent',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ phone }) => Array.from({ length: callsAtOnce }, phone),
    call: (phones, index) => ({
      method: 'phoneOtp.sendCode',
      args: [{ phone: phones[index] }, { ip: '192.0.2.8' }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: callsAtOnce - 20 });
    },
  }),
  scenario({
    name: 'a country gets as many texts as it is configured to',
    refusals: ['rate_limit_exceeded'],
    options: { maxPerCountry: 7 },
    prepare: async ({ phone }) => Array.from({ length: callsAtOnce }, phone),
    call: (phones, index) => ({ method: 'phoneOtp.sendCode', args: [{ phone: phones[index] }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 7, rate_limit_exceeded: callsAtOnce - 7 });
    },
  }),
  scenario({
    name: 'codes that were never sent are found by nobody',
    refusals: ['code_not_found', 'rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({ method: 'emailCode.verify', args: [{ email, code: anyCode(index) }] }),
    expect({ told }) {
      expect(told).toEqual([]);
    },
  }),
];
