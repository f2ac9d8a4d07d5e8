/** Races for codes by email and text message: one use, bounded guesses and bounded sends. */
import { differentCode } from '../../../support/site-actions.js';
import { concurrentCalls, codeFor, scenario, winners, type World } from '../scenario.js';

const sends = 5;
const tries = 5;
const codeRefusals = ['code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'];
const wrongGuesses = ['code_invalid', ...codeRefusals];

async function sendPhoneCode({ service, texts }: World, phone: string): Promise<string> {
  await service.phoneOtp.sendCode({ phone });
  return texts.lastCode(phone)!;
}

const anyCode = (index: number) => String(100_000 + index);

export const codes = [
  scenario({
    name: 'signs in once with a mailed code',
    refusals: codeRefusals,
    async prepare(world) {
      const email = world.person();
      return { email, code: await codeFor(world, email) };
    },
    call: (input) => ({
      method: 'emailCode.verify',
      args: [input, { startSession: true }],
      resultPath: 'user.id',
    }),
    lockedRows: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect(result, { email }, { adapter, clock }) {
      expect(winners(result)).toBe(1);
      const user = await adapter.users.findByEmail(email);
      expect(result.values).toEqual([user?.id]);
      expect(await adapter.sessions.listLive(user!.id, new Date(clock.now()))).toHaveLength(1);
    },
  }),
  scenario({
    name: 'evaluates five wrong guesses at a mailed code, then rejects the correct one',
    refusals: wrongGuesses,
    async prepare(world) {
      const email = world.person();
      return { email, code: await codeFor(world, email) };
    },
    call: ({ email, code }) => ({ method: 'emailCode.verify', args: [{ email, code: differentCode(code) }] }),
    lockedRows: ({ email }) => ({ table: 'svc_one_time_codes', where: ['subject', email] }),
    async expect({ tally }, input, { service }) {
      expect(tally['code_invalid']).toBe(tries);
      await expect(service.emailCode.verify(input)).rejects.toMatchObject({ code: 'max_attempts_exceeded' });
    },
  }),
  scenario({
    name: 'evaluates ten wrong guesses across the codes of one address',
    refusals: wrongGuesses,
    async prepare(world) {
      const email = world.person();
      for (const wrong of [tries, tries - 1]) {
        const guess = { email, code: differentCode(await codeFor(world, email)) };
        for (let i = 0; i < wrong; i += 1) await world.service.emailCode.verify(guess).catch(() => undefined);
      }
      return { email, code: differentCode(await codeFor(world, email)) };
    },
    call: (guess) => ({ method: 'emailCode.verify', args: [guess] }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 1, rate_limit_exceeded: concurrentCalls - 1 });
    },
  }),
  ...[
    { method: 'emailCode.sendCode', kind: 'email_code' },
    { method: 'magicLink.sendLink', kind: 'magic_link' },
  ].map(({ method, kind }) =>
    scenario({
      name: `sends five mails to one address with ${method}`,
      refusals: ['rate_limit_exceeded'],
      prepare: async ({ person }) => person(),
      call: (email) => ({ method, args: [{ email }] }),
      expect({ tally, mails }) {
        expect(tally).toEqual({ ok: sends, rate_limit_exceeded: concurrentCalls - sends });
        expect(mails.map((mail) => mail.kind)).toEqual(Array(sends).fill(kind));
      },
    }),
  ),
  scenario({
    name: 'sends ten mails to all addresses of one mailbox together',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailCode.sendCode',
      args: [{ email: email.replace('@', `+${index}@`) }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 2 * sends, rate_limit_exceeded: concurrentCalls - 2 * sends });
    },
  }),
  scenario({
    name: 'limits the mails that one client sends to any addresses to twenty times the limit of one address',
    refusals: ['rate_limit_exceeded'],
    options: { rateLimit: { maxPerWindow: 1 } },
    prepare: async ({ person }) => person(),
    call: (email, index) => ({
      method: 'emailCode.sendCode',
      args: [{ email: `${index}-${email}` }, { ip: '192.0.2.7' }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: concurrentCalls - 20 });
    },
  }),
  scenario({
    name: 'signs in once with a text message code, and creates one user',
    refusals: codeRefusals,
    async prepare(world) {
      const phone = world.phone();
      return { phone, code: await sendPhoneCode(world, phone) };
    },
    call: (input) => ({ method: 'phoneOtp.verify', args: [input], resultPath: 'user.id' }),
    lockedRows: ({ phone }) => ({ table: 'svc_one_time_codes', where: ['subject', phone] }),
    async expect(result, { phone }, { adapter }) {
      expect(winners(result)).toBe(1);
      expect(result.values).toEqual([(await adapter.identities.findUser('phone', phone))?.id]);
    },
  }),
  scenario({
    name: 'evaluates five wrong guesses at a text message code',
    refusals: wrongGuesses,
    async prepare(world) {
      const phone = world.phone();
      return { phone, code: differentCode(await sendPhoneCode(world, phone)) };
    },
    call: (guess) => ({ method: 'phoneOtp.verify', args: [guess] }),
    lockedRows: ({ phone }) => ({ table: 'svc_one_time_codes', where: ['subject', phone] }),
    expect({ tally }) {
      expect(tally['code_invalid']).toBe(tries);
    },
  }),
  scenario({
    name: 'sends five text messages to one number',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ phone }) => phone(),
    call: (phone) => ({ method: 'phoneOtp.sendCode', args: [{ phone }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: sends, rate_limit_exceeded: concurrentCalls - sends });
    },
  }),
  scenario({
    name: 'sends twenty text messages for one client',
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ phone }) => Array.from({ length: concurrentCalls }, phone),
    call: (phones, index) => ({
      method: 'phoneOtp.sendCode',
      args: [{ phone: phones[index] }, { ip: '192.0.2.8' }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 20, rate_limit_exceeded: concurrentCalls - 20 });
    },
  }),
  scenario({
    name: 'sends as many text messages to one country as configured',
    refusals: ['rate_limit_exceeded'],
    options: { maxPerCountry: 7 },
    prepare: async ({ phone }) => Array.from({ length: concurrentCalls }, phone),
    call: (phones, index) => ({ method: 'phoneOtp.sendCode', args: [{ phone: phones[index] }] }),
    expect({ tally }) {
      expect(tally).toEqual({ ok: 7, rate_limit_exceeded: concurrentCalls - 7 });
    },
  }),
  scenario({
    name: 'returns code_not_found for codes that were never sent',
    refusals: ['code_not_found', 'rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email, index) => ({ method: 'emailCode.verify', args: [{ email, code: anyCode(index) }] }),
    expect({ values }) {
      expect(values).toEqual([]);
    },
  }),
];
