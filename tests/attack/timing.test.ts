/**
 * What a request costs, counted and not measured: the cost does not reveal whether an account exists. The time that the same
 * requests take is measured by `npm test -- --timing`.
 */
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { validPassword, type Site } from '../support/http-site.js';
import type { Overrides } from '../support/make-service.js';
import { openMeasuredSite, type MeasuredSite, type RequestCost } from '../support/measured-site.js';

/** What `hitAndFindUser` stands for on an adapter without fast paths. */
const composed: Record<string, string[]> = { hitAndFindUser: ['rateLimits.hit', 'users.findByEmail'] };

const wrong = 'not the password';
const tooLong = 'x'.repeat(5_000);
let numbers = 0;
const newNumber = () => `+4915124${String((numbers += 1)).padStart(6, '0')}`;

type CreateAccount = (site: Site) => Promise<string>;

const unknown: CreateAccount = async (site) => site.uniqueEmail();
const withPassword: CreateAccount = async (site) => (await site.signUp()).email;
const passwordless: CreateAccount = async (site) => (await site.signInByCode()).email;

const everyKind: Record<string, CreateAccount> = {
  'an unknown address': unknown,
  'an account with a password': withPassword,
  'an account without a password': passwordless,
  async 'an account with a password and a verified address'(site) {
    const { email, cookie } = await site.signUp();
    await site.signInByCode(email, { cookie });
    return email;
  },
  async 'an account that the owner of its mailbox claimed'(site) {
    const { email } = await site.signUp();
    await site.signInByCode(email);
    return email;
  },
  async 'a deleted account'(site) {
    const { email, user } = await site.signUp();
    await site.service.account.deleteUser(user.id as string);
    return email;
  },
  'an account with a second factor': withSecondFactor,
};

const attempts: Record<string, string> = {
  'a wrong password': wrong,
  'an empty password': '',
  'a password that is too long': tooLong,
  'a password with U+0000': `${validPassword}\0`,
  'a password with a lone surrogate': `${validPassword}\ud800`,
  'a password of more bytes than bcrypt uses': 'y'.repeat(100),
};

async function withSecondFactor(site: Site): Promise<string> {
  const { email, user } = await site.signUp();
  const userId = user.id as string;
  const { secret } = await site.service.totp.beginEnrollment(userId);
  await site.service.totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
  return email;
}

const login = (site: Site, email: string, password: string) =>
  site.post('/password/login', { email, password });

describeAdapters('The cost of a request', ({ adapter }) => {
  const watchedSites: MeasuredSite[] = [];
  afterEach(async () => {
    for (const { site } of watchedSites.splice(0)) await site.close();
  });

  /** The calls as this adapter gets them. */
  const callsOf = (names: readonly string[]) =>
    names.flatMap((name) => {
      if (!composed[name]) return [name];
      return adapter().fastPaths ? [`fastPaths.${name}`] : composed[name];
    });

  async function open(overrides?: Overrides): Promise<MeasuredSite> {
    const watched = await openMeasuredSite(adapter(), overrides);
    watchedSites.push(watched);
    return watched;
  }

  /** Returns the work of the same request for each kind of account, on one site. */
  async function worksOf(
    kinds: readonly CreateAccount[],
    request: (watched: MeasuredSite, address: string) => ReturnType<Site['post']>,
    overrides?: Overrides,
  ): Promise<RequestCost[]> {
    const watched = await open(overrides);
    const works: RequestCost[] = [];
    for (const createAccount of kinds) {
      const address = await createAccount(watched.site);
      works.push(await watched.costOf(() => request(watched, address)));
    }
    return works;
  }

  //
  it('spends one verification and the same storage calls on every failed login, for any account and password', async () => {
    const { site, costOf } = await open();
    const works: [string, RequestCost][] = [];
    for (const [account, make] of Object.entries(everyKind)) {
      const email = await make(site);
      for (const [attempt, password] of Object.entries(attempts)) {
        works.push([`${account}, ${attempt}`, await costOf(() => login(site, email, password))]);
      }
    }
    const storageCalls = callsOf(['hitAndFindUser']);
    const expected: RequestCost = {
      status: 401,
      verified: 1,
      hashed: 0,
      storageCalls,
      callsBeforeResponse: storageCalls,
    };
    expect(works).toEqual(works.map(([name]) => [name, expected]));
    expect(works).toHaveLength(7 * 6);
  });

  //
  it('spends one verification on the correct password, with or without a second factor', async () => {
    const works = await worksOf([withPassword, withSecondFactor], ({ site }, email) =>
      login(site, email, validPassword),
    );
    expect(works).toMatchObject([
      { status: 200, verified: 1, hashed: 0 },
      { status: 403, verified: 1, hashed: 0 },
    ]);
  });

  //
  it('verifies nothing and looks up no user once a limit on logins is used up, for known and unknown addresses', async () => {
    const { site, costOf } = await open({ rateLimit: { login: { perAddressAndIp: { max: 2 } } } });
    const works: RequestCost[] = [];
    for (const make of Object.values(everyKind)) {
      const email = await make(site);
      for (let i = 0; i < 2; i += 1) await login(site, email, wrong);
      for (const password of [validPassword, wrong, tooLong]) {
        works.push(await costOf(() => login(site, email, password)));
      }
    }
    const first = adapter().fastPaths ? callsOf(['hitAndFindUser']) : ['rateLimits.hit'];
    const refusal = { status: 429, verified: 0, hashed: 0 };
    // The process remembers the rejection by the storage for a second.
    const [counted, ...remembered]: RequestCost[] = [first, [], []].map((storage) => ({
      ...refusal,
      ...{ storageCalls: storage, callsBeforeResponse: storage },
    }));
    expect(works).toEqual(
      Array(7)
        .fill([counted, ...remembered])
        .flat(),
    );
  });

  //
  it('spends one verification on a wrong current password, also for guests and passwordless users', async () => {
    const { site, costOf } = await open();
    const guest = (await site.post('/guest')).cookie();
    const cookies = [(await site.signUp()).cookie, (await site.signInByCode()).cookie, guest];
    const works: RequestCost[] = [];
    for (const cookie of cookies) {
      for (const currentPassword of [wrong, tooLong]) {
        const body = { currentPassword, newPassword: 'battery staple' };
        works.push(await costOf(() => site.post('/account/password', body, { cookie })));
      }
    }
    const [{ storageCalls }] = works as [RequestCost];
    const expected: RequestCost = {
      status: 401,
      verified: 1,
      hashed: 0,
      storageCalls,
      callsBeforeResponse: storageCalls,
    };
    expect(works).toEqual(Array(6).fill(expected));
  });

  // T6, A-37
  it('responds to request-reset before any lookup, for known, unknown and malformed addresses', async () => {
    const malformed: CreateAccount = async () => 'not an address';
    const works = await worksOf([...Object.values(everyKind), malformed], ({ site }, email) =>
      site.post('/password/request-reset', { email }),
    );
    for (const { status, callsBeforeResponse } of works)
      expect([status, callsBeforeResponse]).toEqual([200, []]);
    // The background work may differ, since no response waits for it.
    expect(works.map(({ storageCalls }) => storageCalls.includes('singleUseTokens.insert'))).toEqual([
      false,
      ...Array<boolean>(4).fill(true),
      false,
      true,
      false,
    ]);
  });

  //
  it.each([
    // In between, whether the code must be a long one.
    ['/email-code/send', ['hitAndFindUser', 'rateLimits.hit', 'rateLimits.correct', 'oneTimeCodes.replace']],
    ['/magic-link/send', ['hitAndFindUser', 'singleUseTokens.insert']],
  ])('%s makes the same storage calls for known and unknown addresses', async (route, names) => {
    const storageCalls = callsOf(names);
    const works = await worksOf(Object.values(everyKind), ({ site }, email) => site.post(route, { email }));
    const expected: RequestCost = {
      status: 200,
      verified: 0,
      hashed: 0,
      storageCalls,
      callsBeforeResponse: storageCalls,
    };
    expect(works).toEqual(works.map(() => expected));
  });

  //
  it('makes the same storage calls for a wrong email code of known and unknown addresses, with or without a pending code', async () => {
    const verify = ({ site }: MeasuredSite, email: string) => {
      const code = site.mail.lastCode(email) === '000000' ? '111111' : '000000';
      return site.post('/email-code/verify', { email, code });
    };
    const withPendingCode =
      (createAccount: CreateAccount): CreateAccount =>
      async (site) => {
        const email = await createAccount(site);
        await site.post('/email-code/send', { email });
        return email;
      };
    const kinds = Object.values(everyKind);
    for (const group of [kinds, kinds.map(withPendingCode)]) {
      const works = await worksOf(group, verify);
      expect(works).toEqual(works.map(() => ({ ...works[0], status: 401 })));
      expect(works[0]).toMatchObject({ verified: 0, hashed: 0 });
    }
  });

  //
  it('makes the same storage calls for text messages and wrong codes of known and unknown numbers', async () => {
    const { site, sms, costOf } = await open();
    const [known, other] = [newNumber(), newNumber()];
    await site.post('/phone/send', { phone: known });
    const first = await site.post('/phone/verify', { phone: known, code: sms.lastCode(known) });
    expect(first.status).toBe(200);
    const works: RequestCost[][] = [];
    for (const phone of [known, other]) {
      const send = await costOf(() => site.post('/phone/send', { phone }));
      const code = sms.lastCode(phone) === '000000' ? '111111' : '000000';
      works.push([send, await costOf(() => site.post('/phone/verify', { phone, code }))]);
    }
    expect(works[0]).toEqual(works[1]);
    expect(works[0]).toMatchObject([{ status: 200 }, { status: 401 }]);
  });

  //
  it('makes the same storage calls for a change of address or a guest upgrade to known and unknown addresses', async () => {
    const { site, costOf } = await open({ rateLimit: { maxPerWindow: 50 } });
    const { cookie } = await site.signUp();
    const guest = (await site.post('/guest')).cookie();
    const addresses = [await withPassword(site), await passwordless(site), site.uniqueEmail()];
    for (const [route, sender] of [
      ['/account/email', cookie],
      ['/guest/upgrade/send', guest],
    ] as const) {
      const works: RequestCost[] = [];
      for (const email of addresses) {
        works.push(await costOf(() => site.post(route, { email }, { cookie: sender })));
      }
      expect(works).toEqual(works.map(() => ({ ...works[0], status: 200 })));
    }
  });

  //
  it('hashes once and makes the same storage calls for every sign-up with signUp.revealExisting: false', async () => {
    const { site } = await open();
    const addresses: string[] = [];
    for (const make of Object.values(everyKind)) addresses.push(await make(site));
    const closed = await open({ signUp: { revealExisting: false }, clock: site.clock });
    const refused = await open({
      signUp: { revealExisting: false, allow: async () => false },
      clock: site.clock,
    });
    for (const [watched, expected] of [
      [
        closed,
        {
          status: 200,
          hashed: 1,
          storageCalls: [
            'rateLimits.hit',
            'hitAndFindUser',
            'rateLimits.hit',
            'rateLimits.correct',
            'oneTimeCodes.replace',
          ],
        },
      ],
      [
        refused,
        {
          status: 403,
          hashed: 0,
          storageCalls: ['rateLimits.hit', 'hitAndFindUser', 'rateLimits.correct'],
        },
      ],
    ] as const) {
      const works: RequestCost[] = [];
      for (const email of addresses) {
        const signUp = () => watched.site.post('/password/signup', { email, password: validPassword });
        works.push(await watched.costOf(signUp));
      }
      const storageCalls = callsOf(expected.storageCalls);
      const cost = { ...expected, verified: 0, storageCalls, callsBeforeResponse: storageCalls };
      expect(works).toEqual(works.map(() => cost));
    }
  });

  //
  it('makes signup the exception: it returns 409 for a known address and hashes nothing', async () => {
    const works = await worksOf([unknown, withPassword, passwordless], ({ site }, email) =>
      site.post('/password/signup', { email, password: validPassword }),
    );
    expect(works).toMatchObject([
      { status: 200, verified: 0, hashed: 1 },
      { status: 409, verified: 0, hashed: 0 },
      { status: 409, verified: 0, hashed: 0 },
    ]);
  });
});
