// No method creates an account that the sign-up policy refuses, and no stranger learns from the refusal who has an account.
import type { ServiceConfig, StorageAdapter } from 'svc-auth';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { isSignedIn, logIn, outcome } from '../../support/site-actions.js';
import { refusals, signUpMethods, wrongCode } from '../../support/sign-ups.js';
import { signInMethods } from '../../support/sign-in-methods.js';
import { describeAttacks, type SiteWithProviders } from '../../support/full-site.js';

type SignUp = NonNullable<ServiceConfig['signUp']>;

const refused = /^(\/\?error=|403 )sign_up_disabled$/;
const codeOf = (response: HttpResponse) => (response.status === 302 ? response.location : outcome(response));
const sessionCookies = ({ cookies }: HttpResponse) =>
  cookies.filter(({ name, value }) => name === 'svc_session' && value !== '');
const idOf = async (site: SiteWithProviders, cookie: string) =>
  (await site.get('/session', { cookie })).json.user.id as string;
/** What a stranger sees of a response. */
const shapeOf = ({ status, json, location }: HttpResponse) => [
  status,
  json?.error,
  Object.keys((json ?? {}) as object),
  location,
];

const hangs: SignUp = { allow: () => new Promise<never>(() => undefined) };

/** Shortens the timeouts of functions of the application, and leaves all other timers alone. */
function shortTimeouts(): void {
  const original = globalThis.setTimeout;
  const shortened = (run: () => void, ms?: number) => {
    const isTimeout = new Error('caller').stack?.includes('support/timeouts') === true;
    return original(run, isTimeout ? 10 : ms);
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(shortened);
}

describeAttacks('Refused sign-ups', ({ open }) => {
  const cases = Object.entries({ ...refusals, 'allow that hangs': hangs });

  afterEach(() => void jest.restoreAllMocks());

  it.each(cases)('no method creates an account with %s, and no code is mailed', async (name, signUp) => {
    const before = await open();
    const site = await open({ service: { signUp, clock: before.clock } });
    const attempts = [];
    for (const [method, prepare] of Object.entries(signUpMethods))
      attempts.push([method, await prepare(before)] as const);
    const total = await before.service.users.count();
    if (name.includes('hangs')) shortTimeouts();
    for (const [method, attempt] of attempts) {
      const { response, mailedTo, userId } = await attempt(site);
      expect([method, userId, sessionCookies(response)]).toEqual([method, undefined, []]);
      if (mailedTo === undefined) {
        expect([method, codeOf(response)]).toEqual([method, expect.stringMatching(refused)]);
      } else {
        // The wrong code, or the response to a link that was not mailed.
        expect([method, outcome(response)]).toEqual([
          method,
          method === 'magic_link' ? '200' : '401 code_invalid',
        ]);
        const mails = site.mail.messages.filter(({ to }) => to === mailedTo);
        expect(mails.map(({ kind }) => kind)).toEqual(['sign_up_refused']);
        expect(mails[0]!.text).not.toMatch(/\d{4}|https?:/);
      }
    }
    expect(await before.service.users.count()).toBe(total);
    const failures = site.log.filter(
      ({ fields }) => 'event' in fields && fields['event'] === 'sign_up_policy_failed',
    );
    const isClear = /enabled|false/.test(name) && !name.includes('{');
    expect(failures.length > 0).toBe(!isClear);
    if (name.includes('throws')) expect(JSON.stringify(failures[0])).toContain('directory of employees');
  });

  it.each(Object.entries(signUpMethods))(
    'an allowed sign-up with %s sets the roles and the metadata of the decision',
    async (name, prepare) => {
      const asked: string[] = [];
      const site = await open({
        service: {
          signUp: {
            allow: ({ method, metadata }) => {
              asked.push(method);
              expect(metadata).not.toHaveProperty('plan', 'pro');
              return { metadata: { plan: method === 'guest' ? 'free' : 'pro' }, roles: ['member', method] };
            },
          },
        },
      });
      const { userId } = await (await prepare(site))(site);
      const method = name.split(' ')[0]!;
      expect(asked.at(-1)).toBe(method);
      expect(await site.service.users.get(userId!)).toMatchObject({
        metadata: { plan: method === 'guest' ? 'free' : 'pro' },
        roles: [method, 'member'].sort(),
        isGuest: method === 'guest',
      });
    },
  );

  // Every sign-up creates another user.
  const { 'a signup': _, ...methods } = signInMethods;
  it.each(Object.entries(methods))(
    'an existing user signs in with %s if no one may sign up',
    async (_name, method) => {
      const [before, closed, strict] = [
        await open(),
        await open({ service: { signUp: { enabled: false } } }),
        await open({ service: { signUp: { allow: () => false } } }),
      ];
      const current = { ...before };
      const signIn = await method(current);
      const userId = await idOf(before, (await signIn()).cookie());
      for (const site of [closed, strict]) {
        Object.assign(current, site);
        expect(await idOf(site, (await signIn()).cookie())).toBe(userId);
      }
    },
  );

  //
  it.each(['enabled: false', 'allow that returns false', 'allow that throws'])(
    'a stranger gets the same responses for an address with an account as for one without, with %s',
    async (name) => {
      const before = await open();
      const site = await open({ service: { signUp: refusals[name]! } });
      const known = [await before.signUp(), await before.signInByCode()].map(({ email }) => email);
      const shapes = await Promise.all(
        [...known, site.uniqueEmail()].map(async (email) => {
          const sent = await site.post('/email-code/send', { email });
          const code = wrongCode(site, email);
          const guesses = [];
          for (let i = 0; i < 6; i += 1) guesses.push(await site.post('/email-code/verify', { email, code }));
          return [
            sent,
            ...guesses,
            await site.post('/magic-link/send', { email }),
            await site.post('/password/signup', { email, password: validPassword }),
            await logIn(site, email, 'a wrong password'),
            await site.post('/password/request-reset', { email }),
          ].map(shapeOf);
        }),
      );
      expect(shapes[1]).toEqual(shapes[0]);
      expect(shapes[2]).toEqual(shapes[0]);
    },
  );

  //
  it('a send asks allow and runs the same queries for an address with an account as for one without', async () => {
    const calls: string[] = [];
    const wrapAdapter = (adapter: StorageAdapter) => recordCalls(adapter, calls);
    const asked: (string | null)[] = [];
    const allow = ({ email }: { email: string | null }) => asked.push(email) < 0;
    const before = await open();
    const site = await open({ wrapAdapter, service: { signUp: { allow } } });
    const emails = [(await before.signUp()).email, (await before.signInByCode()).email, site.uniqueEmail()];
    for (const path of ['/email-code/send', '/magic-link/send']) {
      const traces = [];
      for (const email of emails) {
        expect((await site.post(path, { email })).status).toBe(200);
        traces.push(calls.splice(0));
      }
      expect(traces[0]!.length).toBeGreaterThan(1);
      expect(traces).toEqual([traces[0], traces[0], traces[0]]);
      expect(asked.splice(0)).toEqual(emails);
    }
  });

  it('a code or link from before the policy changed creates no account', async () => {
    let isOpen = true;
    const site = await open({ service: { signUp: { allow: () => isOpen } } });
    const [byCode, byLink] = [site.uniqueEmail(), site.uniqueEmail()];
    await site.post('/email-code/send', { email: byCode });
    await site.post('/magic-link/send', { email: byLink });
    isOpen = false;
    const code = site.mail.lastCode(byCode);
    expect(outcome(await site.post('/email-code/verify', { email: byCode, code }))).toBe(
      '403 sign_up_disabled',
    );
    const opened = await site.get(`/magic-link/verify?token=${site.mailedToken(byLink)}`);
    expect(codeOf(opened)).toBe('/?error=sign_up_disabled');
    for (const email of [byCode, byLink]) expect(await site.service.users.find({ email })).toBeNull();
    isOpen = true;
    expect(outcome(await site.post('/email-code/verify', { email: byCode, code }))).toBe(
      '401 code_not_found',
    );
  });

  it('a user whom an administrator creates or invites is not asked about, and signs in', async () => {
    const asked: unknown[] = [];
    const site = await open({ service: { signUp: { enabled: false, allow: (it) => asked.push(it) < 0 } } });
    const [created, invited] = [site.uniqueEmail(), site.uniqueEmail()];
    await site.service.users.create({ email: created });
    await site.service.users.invite({ email: invited });
    for (const email of [created, invited]) {
      const { cookie } = await site.signInByCode(email);
      expect(await isSignedIn(site, cookie)).toBe(true);
    }
    expect(asked).toEqual([]);
  });

  it('the owner of a mailbox reclaims an unverified account although no one may sign up', async () => {
    const before = await open();
    const { email, user } = await before.signUp();
    const site = await open({ service: { signUp: { enabled: false } } });
    const reclaimed = await site.signInByCode(email);
    expect(reclaimed.user).toMatchObject({ id: user.id, emailVerified: true });
  });

  it('a signed-in user adds a first password with the signup route although no one may sign up', async () => {
    const before = await open();
    const { email, cookie } = await before.signInByCode();
    for (const signUp of [{ enabled: false }, { allow: () => false }]) {
      const site = await open({ service: { clock: before.clock, signUp } });
      const body = { email: site.uniqueEmail(), password: validPassword };
      expect(outcome(await site.post('/password/signup', body, { cookie }))).toBe('403 sign_up_disabled');
    }
    const site = await open({ service: { clock: before.clock, signUp: { enabled: false } } });
    const added = await site.post('/password/signup', { email, password: validPassword }, { cookie });
    expect(added.status).toBe(200);
    expect((await logIn(site, email, validPassword)).status).toBe(200);
  });

  it('refused sign-ups with a password and refused guests count against their limits', async () => {
    const asked: unknown[] = [];
    const rateLimit = { signUp: { perIp: { max: 3 } } };
    const site = await open({ service: { rateLimit, signUp: { allow: (it) => asked.push(it) < 0 } } });
    const signUp = () =>
      site.post('/password/signup', { email: site.uniqueEmail(), password: validPassword });
    for (let i = 0; i < 3; i += 1) expect(outcome(await signUp())).toBe('403 sign_up_disabled');
    expect(outcome(await signUp())).toBe('429 rate_limit_exceeded');
    const outcomes = [];
    for (let i = 0; i < 100 && outcomes.at(-1) !== '429 rate_limit_exceeded'; i += 1)
      outcomes.push(outcome(await site.post('/guest')));
    expect(outcomes.at(-1)).toBe('429 rate_limit_exceeded');
    expect(asked).toHaveLength(3 + outcomes.length - 1);
  });
});

/** Records the calls of every repository, by name. */
function recordCalls(adapter: StorageAdapter, calls: string[]): StorageAdapter {
  const recorded = Object.entries(adapter).map(([name, repository]: [string, unknown]) => {
    if (typeof repository !== 'object' || repository === null) return [name, repository];
    const proxy = new Proxy(repository, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(method)}`);
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    return [name, proxy];
  });
  return Object.fromEntries(recorded) as StorageAdapter;
}
