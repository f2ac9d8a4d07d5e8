/**
 * What a request costs, counted and not measured: nobody can tell by it who has an account (A-13, T6). What that is by the
 * clock, `npm run test:timing` measures.
 */
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { goodPassword, type Site } from '../support/http-site.js';
import type { Overrides } from '../support/make-service.js';
import { openWatchedSite, type WatchedSite, type Work } from '../support/watched-site.js';

const wrong = 'not the password';
const tooLong = 'x'.repeat(5_000);
let numbers = 0;
const newNumber = () => `+4915124${String((numbers += 1)).padStart(6, '0')}`;

type Who = (site: Site) => Promise<string>;

const unknown: Who = async (site) => site.address();
const withPassword: Who = async (site) => (await site.signUp()).email;
const passwordless: Who = async (site) => (await site.signInByCode()).email;

const everybody: Record<string, Who> = {
  'an unknown address': unknown,
  'an account with a password': withPassword,
  'an account without a password': passwordless,
  async 'an account with a password and a proven address'(site) {
    const { email, cookie } = await site.signUp();
    await site.signInByCode(email, { cookie });
    return email;
  },
  async 'an account that its mailbox claimed'(site) {
    const { email } = await site.signUp();
    await site.signInByCode(email);
    return email;
  },
  async 'an account that was deleted'(site) {
    const { email, user } = await site.signUp();
    await site.service.account.deleteUser(user.id as string);
    return email;
  },
  'an account with a second factor': withSecondFactor,
};

const attempts: Record<string, string> = {
  'a wrong password': wrong,
  'an empty one': '',
  'one that is too long': tooLong,
  'one with U+0000': `${goodPassword}\0`,
  'one with a lone surrogate': `${goodPassword}\ud800`,
  'one of more bytes than bcrypt takes': 'y'.repeat(100),
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

describeAdapters('what a request costs', ({ adapter }) => {
  const opened: WatchedSite[] = [];
  afterEach(async () => {
    for (const { site } of opened.splice(0)) await site.close();
  });

  async function open(overrides?: Overrides): Promise<WatchedSite> {
    const watched = await openWatchedSite(adapter(), overrides);
    opened.push(watched);
    return watched;
  }

  /** The same request about each of these, on one site. */
  async function worksOf(
    about: readonly Who[],
    request: (watched: WatchedSite, address: string) => ReturnType<Site['post']>,
    overrides?: Overrides,
  ): Promise<Work[]> {
    const watched = await open(overrides);
    const works: Work[] = [];
    for (const who of about) {
      const address = await who(watched.site);
      works.push(await watched.workOf(() => request(watched, address)));
    }
    return works;
  }

  it('A-13 a failed login is one verification and the same calls, whoever it is for and whatever was typed', async () => {
    const { site, workOf } = await open();
    const works: [string, Work][] = [];
    for (const [who, make] of Object.entries(everybody)) {
      const email = await make(site);
      for (const [what, password] of Object.entries(attempts)) {
        works.push([`${who}, ${what}`, await workOf(() => login(site, email, password))]);
      }
    }
    const storage = ['rateLimits.hit', 'users.findByEmail'];
    const expected: Work = { status: 401, verified: 1, hashed: 0, storage, beforeAnswer: storage };
    expect(works).toEqual(works.map(([name]) => [name, expected]));
    expect(works).toHaveLength(7 * 6);
  });

  it('A-13 the right password is one verification, with a second factor to come or without', async () => {
    const works = await worksOf([withPassword, withSecondFactor], ({ site }, email) =>
      login(site, email, goodPassword),
    );
    expect(works).toMatchObject([
      { status: 200, verified: 1, hashed: 0 },
      { status: 403, verified: 1, hashed: 0 },
    ]);
  });

  it('A-13 A-14 where a limit is used up nothing is verified and nobody is looked up, for all alike', async () => {
    const { site, workOf } = await open({ rateLimit: { login: { perAddressAndIp: { max: 2 } } } });
    const works: Work[] = [];
    for (const make of Object.values(everybody)) {
      const email = await make(site);
      for (let tries = 0; tries < 2; tries += 1) await login(site, email, wrong);
      for (const password of [goodPassword, wrong, tooLong]) {
        works.push(await workOf(() => login(site, email, password)));
      }
    }
    const first = ['rateLimits.hit'];
    const refusal = { status: 429, verified: 0, hashed: 0 };
    // The process remembers for a second what the storage has refused.
    const [asked, ...remembered]: Work[] = [first, [], []].map((storage) => ({
      ...refusal,
      ...{ storage, beforeAnswer: storage },
    }));
    expect(works).toEqual(
      Array(7)
        .fill([asked, ...remembered])
        .flat(),
    );
  });

  it('A-13 a change of the password with a wrong one before it is one verification, for guests and passwordless users too', async () => {
    const { site, workOf } = await open();
    const guest = (await site.post('/guest')).cookie();
    const cookies = [(await site.signUp()).cookie, (await site.signInByCode()).cookie, guest];
    const works: Work[] = [];
    for (const cookie of cookies) {
      for (const currentPassword of [wrong, tooLong]) {
        const body = { currentPassword, newPassword: 'battery staple' };
        works.push(await workOf(() => site.post('/account/password', body, { cookie })));
      }
    }
    const [{ storage }] = works as [Work];
    const expected: Work = { status: 401, verified: 1, hashed: 0, storage, beforeAnswer: storage };
    expect(works).toEqual(Array(6).fill(expected));
  });

  it('T6 A-37 request-reset has answered before anything is looked up, for known and unknown addresses and nonsense', async () => {
    const nonsense: Who = async () => 'no address';
    const works = await worksOf([...Object.values(everybody), nonsense], ({ site }, email) =>
      site.post('/password/request-reset', { email }),
    );
    for (const { status, beforeAnswer } of works) expect([status, beforeAnswer]).toEqual([200, []]);
    // What follows may differ: nobody waits for it.
    expect(works.map(({ storage }) => storage.includes('singleUseTokens.insert'))).toEqual([
      false,
      ...Array<boolean>(4).fill(true),
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['/email-code/send', ['rateLimits.hit', 'oneTimeCodes.replace']],
    ['/magic-link/send', ['rateLimits.hit', 'singleUseTokens.insert']],
  ])('A-13 %s looks nobody up: the same calls for known and unknown addresses', async (route, storage) => {
    const works = await worksOf(Object.values(everybody), ({ site }, email) => site.post(route, { email }));
    const expected: Work = { status: 200, verified: 0, hashed: 0, storage, beforeAnswer: storage };
    expect(works).toEqual(works.map(() => expected));
  });

  it('A-13 a wrong email code is the same calls for known and unknown addresses, with a code under way or without', async () => {
    const verify = ({ site }: WatchedSite, email: string) => {
      const code = site.mail.lastCode(email) === '000000' ? '111111' : '000000';
      return site.post('/email-code/verify', { email, code });
    };
    const sent =
      (who: Who): Who =>
      async (site) => {
        const email = await who(site);
        await site.post('/email-code/send', { email });
        return email;
      };
    const about = Object.values(everybody);
    for (const each of [about, about.map(sent)]) {
      const works = await worksOf(each, verify);
      expect(works).toEqual(works.map(() => ({ ...works[0], status: 401 })));
      expect(works[0]).toMatchObject({ verified: 0, hashed: 0 });
    }
  });

  it('A-13 texts and wrong codes of texts are the same calls for known and unknown numbers', async () => {
    const { site, texts, workOf } = await open();
    const [known, other] = [newNumber(), newNumber()];
    await site.post('/phone/send', { phone: known });
    const first = await site.post('/phone/verify', { phone: known, code: texts.lastCode(known) });
    expect(first.status).toBe(200);
    const works: Work[][] = [];
    for (const phone of [known, other]) {
      const send = await workOf(() => site.post('/phone/send', { phone }));
      const code = texts.lastCode(phone) === '000000' ? '111111' : '000000';
      works.push([send, await workOf(() => site.post('/phone/verify', { phone, code }))]);
    }
    expect(works[0]).toEqual(works[1]);
    expect(works[0]).toMatchObject([{ status: 200 }, { status: 401 }]);
  });

  it('A-13 who is signed in learns of no other address: its change and a guest’s wish for it are the same calls', async () => {
    const { site, workOf } = await open({ rateLimit: { maxPerWindow: 50 } });
    const { cookie } = await site.signUp();
    const guest = (await site.post('/guest')).cookie();
    const addresses = [await withPassword(site), await passwordless(site), site.address()];
    for (const [route, own] of [
      ['/account/email', cookie],
      ['/guest/upgrade/send', guest],
    ] as const) {
      const works: Work[] = [];
      for (const email of addresses) {
        works.push(await workOf(() => site.post(route, { email }, { cookie: own })));
      }
      expect(works).toEqual(works.map(() => ({ ...works[0], status: 200 })));
    }
  });

  it('A-13 signup is the exception: it says 409, and hashes nothing for who is there already', async () => {
    const works = await worksOf([unknown, withPassword, passwordless], ({ site }, email) =>
      site.post('/password/signup', { email, password: goodPassword }),
    );
    expect(works).toMatchObject([
      { status: 200, verified: 0, hashed: 1 },
      { status: 409, verified: 0, hashed: 0 },
      { status: 409, verified: 0, hashed: 0 },
    ]);
  });
});
