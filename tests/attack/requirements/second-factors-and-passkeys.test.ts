// authenticator apps, recovery codes and passkeys, attacked through the routes and through the storage.
import { softwareAuthenticator, type AuthenticatorLie } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { describeAdapters, type OnAdapter } from '../../support/describe-adapters.js';
import type { Answer } from '../../support/http-client.js';
import type { Account } from '../../support/http-site.js';
import { clientData, lies } from '../../support/passkeys.js';
import { encryptionKey } from '../../support/every-provider.js';
import { minute } from '../../support/make-pro-service.js';
import { addPasskey, enrolTotp, isIn, signInByPasskey, step } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

type Open = ReturnType<typeof wholeProduct>;

function secondFactors(on: OnAdapter, open: Open): void {
  async function enrolled(site: WholeSite) {
    const me = await site.signInByCode();
    return { ...me, ...(await enrolTotp(site, me.cookie)) };
  }

  /** A sign-in up to its second factor: the cookie that waits. */
  async function waiting(site: WholeSite, { email }: Pick<Account, 'email'>): Promise<string> {
    await site.post('/email-code/send', { email });
    const answer = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
    expect(answer.json.error).toBe('mfa_required');
    return answer.cookie('svc_mfa');
  }

  const finish = (site: WholeSite, cookie: string, body: object) =>
    site.post('/mfa/verify', body, { cookie });
  const outcome = ({ status, json }: Answer) => (status === 200 ? 'ok' : (json.error as string));
  const storedSecret = async (site: WholeSite, userId: string) =>
    (await site.adapter.totp!.find(userId))!.secret!;
  const put = async (site: WholeSite, userId: string, secret: string) =>
    site.adapter.totp!.reencrypt(userId, await storedSecret(site, userId), secret);

  it('A-94 the secret of one user in the row of another lets neither in, by no code', async () => {
    const site = await open();
    const [victim, attacker] = [await enrolled(site), await enrolled(site)];
    const own = await storedSecret(site, victim.user.id);
    await put(site, victim.user.id, await storedSecret(site, attacker.user.id));
    expect(await storedSecret(site, victim.user.id)).not.toBe(own);
    const cookie = await waiting(site, victim);
    for (const code of [attacker.code(), victim.code()]) {
      const answer = await finish(site, cookie, { code });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.cookies.filter(({ name, value }) => name === 'svc_session' && value !== '')).toEqual([]);
    }
    await put(site, victim.user.id, own);
    site.clock.advance(minute);
    expect(outcome(await finish(site, cookie, { code: victim.code() }))).toBe('ok');
  });

  it('A-94 a secret of which any part is another fails the code, whatever the part; and none is ever the same twice', async () => {
    const site = await open();
    const me = await enrolled(site);
    const own = await storedSecret(site, me.user.id);
    const parts = own.split('.');
    expect(parts).toHaveLength(5);
    expect(own).not.toContain(me.secret);
    const flip = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    const changed = parts.flatMap((part, i) =>
      [0, Math.floor(part.length / 2)].map((at) => parts.with(i, flip(part, at)).join('.')),
    );
    // What Node's decoder reads as the same bytes.
    const spelled = [2, 3, 4].flatMap((i) =>
      [`${parts[i]}=`, ` ${parts[i]}`].map((part) => parts.with(i, part).join('.')),
    );
    const cut = [
      ...spelled,
      parts.slice(0, 4).join('.'),
      parts.with(4, '').join('.'),
      parts.with(4, parts[4]!.slice(0, 6)).join('.'),
      'x',
      me.secret,
      `v0.${me.secret}`,
    ];
    for (const secret of [...changed, ...cut]) {
      await put(site, me.user.id, secret);
      // Past the limit on failures: each must fail for what it is.
      site.clock.advance(15 * minute);
      expect([secret, await site.service.totp.verify(me.user.id, me.code())]).toEqual([secret, false]);
    }
    await put(site, me.user.id, own);
    site.clock.advance(15 * minute);
    expect(await site.service.totp.verify(me.user.id, me.code())).toBe(true);
    const sealed = [own];
    for (let i = 0; i < 4; i += 1) sealed.push(await storedSecret(site, (await enrolled(site)).user.id));
    const ivs = sealed.map((each) => each.split('.')[2]!);
    expect(new Set(ivs).size).toBe(5);
    expect(ivs.map((iv) => Buffer.from(iv, 'base64url').length)).toEqual([12, 12, 12, 12, 12]);
  });

  it('A-94 another key of the service opens nothing, one that was replaced does, and what it opens is sealed anew', async () => {
    const adapter = on.adapter();
    const site = await open();
    const me = await enrolled(site);
    const next = 'the next key of the attacks, 32 bytes or more';
    const at = (keys: object) =>
      open({ wrapAdapter: () => adapter, service: { clock: site.clock, ...keys } });
    const stranger = await at({ encryptionKey: next });
    const refused = await finish(stranger, await waiting(stranger, me), { code: me.code() });
    expect([refused.status >= 400, refused.cookies.filter(({ name }) => name === 'svc_session')]).toEqual([
      true,
      [],
    ]);
    site.clock.advance(minute);
    const rotated = await at({ encryptionKey: next, previousEncryptionKeys: [encryptionKey] });
    expect(outcome(await finish(rotated, await waiting(rotated, me), { code: me.code() }))).toBe('ok');
    await rotated.settle();
    site.clock.advance(minute);
    const after = await at({ encryptionKey: next });
    expect(outcome(await finish(after, await waiting(after, me), { code: me.code() }))).toBe('ok');
  });

  it('A-95 a code counts one step around the server’s time and no further, and whatever the request says of the time', async () => {
    const site = await open();
    for (const [offset, expected] of [
      [-2, 'code_invalid'],
      [2, 'code_invalid'],
      [-1, 'ok'],
      [1, 'ok'],
      [0, 'ok'],
    ] as const) {
      const me = await enrolled(site);
      // Past the step that confirmed, which is spent.
      site.clock.advance(10 * minute);
      const code = codeAt(me.secret, site.clock.now() + offset * step);
      const cookie = await waiting(site, me);
      const headers = { Date: new Date(site.clock.now() + offset * step).toUTCString() };
      expect([offset, outcome(await site.post('/mfa/verify', { code }, { cookie, headers }))]).toEqual([
        offset,
        expected,
      ]);
    }
  });

  it('A-95 a code counts once, for twenty browsers at once, and none before one that has counted', async () => {
    const site = await open();
    const me = await enrolled(site);
    site.clock.advance(10 * minute);
    const cookies = [
      await waiting(site, me),
      await waiting(site, me),
      await waiting(site, me),
      await waiting(site, me),
    ];
    const code = me.code();
    const outcomes = (await Promise.all(cookies.map((cookie) => finish(site, cookie, { code })))).map(
      outcome,
    );
    expect(outcomes.filter((each) => each === 'ok')).toEqual(['ok']);
    site.clock.advance(15 * minute);
    const late = await waiting(site, me);
    expect(outcome(await finish(site, late, { code }))).toBe('code_invalid');
    const now = site.clock.now();
    expect(outcome(await finish(site, late, { code: codeAt(me.secret, now) }))).toBe('ok');
    expect(
      outcome(await finish(site, await waiting(site, me), { code: codeAt(me.secret, now - step) })),
    ).toBe('code_invalid');
  });

  it('A-95 A-96 five wrong tries, of codes and recovery codes together, and then even the right one is refused', async () => {
    const site = await open();
    const me = await enrolled(site);
    site.clock.advance(10 * minute);
    const cookie = await waiting(site, me);
    const wrong = wrongCodeAt(me.secret, site.clock.now());
    const tries = [
      { code: wrong },
      { recoveryCode: 'A'.repeat(24) },
      { code: wrong },
      { recoveryCode: me.recoveryCodes[0]!.slice(1) },
      { code: wrong },
    ];
    const outcomes: string[] = [];
    for (const body of [...tries, { code: me.code() }, { recoveryCode: me.recoveryCodes[0]! }]) {
      outcomes.push(outcome(await finish(site, cookie, body)));
    }
    expect(outcomes).toEqual([
      ...tries.map(() => 'code_invalid'),
      'max_attempts_exceeded',
      'max_attempts_exceeded',
    ]);
    // Another browser, another sign-in: the same user, the same count.
    expect(outcome(await finish(site, await waiting(site, me), { code: me.code() }))).toBe(
      'max_attempts_exceeded',
    );
  });

  it('A-96 ten recovery codes of 120 bits, each good once for its user, kept as no text that anybody could use', async () => {
    const site = await open();
    const [me, other] = [await enrolled(site), await enrolled(site)];
    const plain = (code: string) => code.replace(/[^A-Z2-7]/gi, '');
    expect(new Set([...me.recoveryCodes, ...other.recoveryCodes]).size).toBe(20);
    for (const code of me.recoveryCodes) expect(plain(code)).toMatch(/^[A-Z2-7]{24}$/i);
    expect(
      outcome(await finish(site, await waiting(site, me), { recoveryCode: other.recoveryCodes[0]! })),
    ).toBe('code_invalid');
    const cookies = [await waiting(site, me), await waiting(site, me), await waiting(site, me)];
    const [first, second] = me.recoveryCodes as [string, string];
    const raced = await Promise.all(cookies.map((cookie) => finish(site, cookie, { recoveryCode: first })));
    expect(raced.map(outcome).sort()).toEqual(['code_invalid', 'code_invalid', 'ok']);
    if (on.sql) {
      const rows = JSON.stringify(await on.sql('select * from svc_recovery_codes'));
      for (const code of me.recoveryCodes)
        expect([rows.includes(code), rows.includes(plain(code))]).toEqual([false, false]);
      expect(rows.length).toBeGreaterThan(20 * 40);
    }
    const again = raced.find(({ status }) => status === 200)!.cookie();
    const renewed = await site.post('/totp/recovery-codes', undefined, { cookie: again });
    expect(renewed.json.recoveryCodes).toHaveLength(10);
    site.clock.advance(15 * minute);
    expect(outcome(await finish(site, await waiting(site, me), { recoveryCode: second }))).toBe(
      'code_invalid',
    );
    expect(
      outcome(await finish(site, await waiting(site, me), { recoveryCode: renewed.json.recoveryCodes[3] })),
    ).toBe('ok');
  });
}

function passkeys(open: Open): void {
  const ours = (lie: AuthenticatorLie): AuthenticatorLie =>
    JSON.parse(JSON.stringify(lie).replaceAll('acme.test', 'app.test')) as AuthenticatorLie;
  const told = lies.map(([name, lie]) => [name, ours(lie)] as const);
  const page = { origin: 'https://app.test' };
  const passkeysOf = async (site: WholeSite, cookie: string) =>
    (await site.get('/passkeys', { cookie })).json.passkeys as { id: string }[];

  async function register(
    site: WholeSite,
    cookie: string,
    lie: AuthenticatorLie,
    change: (answer: unknown) => unknown = (answer) => answer,
    device = softwareAuthenticator(page),
  ) {
    const started = await site.post('/passkeys/register/start', undefined, { cookie });
    const response = change(device.create(started.json.options, lie));
    return site.post(
      '/passkeys/register/finish',
      { response },
      { cookie: `${cookie}; ${started.cookie('svc_webauthn')}` },
    );
  }

  it('A-97 is not registered by a lie of any kind', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const further: [string, AuthenticatorLie][] = [
      ['an id of 1024 bytes', { credentialId: Buffer.alloc(1_024, 1).toString('base64url') }],
      ['an empty id', { credentialId: '' }],
    ];
    for (const [name, lie] of [...told, ...further]) {
      const { status } = await register(site, cookie, lie);
      expect([name, status >= 400 && status < 500]).toEqual([name, true]);
    }
    expect(await passkeysOf(site, cookie)).toEqual([]);
    expect((await register(site, cookie, {})).status).toBe(200);
  });

  it('A-97 signs nobody in by a lie of any kind, by another’s key, handle or id, or by a counter that does not move on', async () => {
    const site = await open();
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const [authenticator, theirs] = [await addPasskey(site, me.cookie), await addPasskey(site, other.cookie)];
    const [mine, foreign] = [authenticator.credentials[0]!, theirs.credentials[0]!];
    expect((await signInByPasskey(site, authenticator)).status).toBe(200);
    const further: [string, AuthenticatorLie][] = [
      ['another key', { forged: true }],
      ['the handle of another user', { userHandle: foreign.userHandle }],
      ['no handle', { userHandle: null }],
      ['the id of another’s passkey', { credentialId: foreign.id }],
      ['an id of nobody', { credentialId: Buffer.from('nobody').toString('base64url') }],
      ['the counter of last time', { counter: mine.counter }],
      ['a counter of before', { counter: 1 }],
      ['a counter of nothing', { counter: 0 }],
      ['a key that can be backed up now', { backupEligible: true }],
    ];
    for (const [name, lie] of [...told, ...further]) {
      const { status, cookies } = await signInByPasskey(site, authenticator, 'theme=dark', lie);
      const entries = cookies.filter((each) => each.name === 'svc_session' && each.value !== '');
      expect([name, status, entries]).toEqual([name, 401, []]);
    }
    mine.counter += 50;
    const answer = await signInByPasskey(site, authenticator);
    expect((await site.get('/session', { cookie: answer.cookie() })).json.user.id).toBe(me.user.id);
  });

  it('A-97 answers once, in the browser that asked, for five minutes, to what it was asked', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const authenticator = await addPasskey(site, me.cookie);
    const begin = () => site.post('/passkeys/authenticate/start');
    const end = (response: unknown, cookie: string) =>
      site.post('/passkeys/authenticate/finish', { response }, { cookie });
    const started = await begin();
    const held = started.cookie('svc_webauthn');
    const response = authenticator.get(started.json.options);
    for (const cookie of [
      'theme=dark',
      (await begin()).cookie('svc_webauthn'),
      'svc_webauthn=x',
      'svc_webauthn=',
    ]) {
      expect((await end(response, cookie)).json.error).toBe('token_invalid');
    }
    const registration = await site.post('/passkeys/register/start', undefined, me);
    const crossed = authenticator.get({
      ...started.json.options,
      challenge: registration.json.options.challenge,
    });
    expect((await end(crossed, registration.cookie('svc_webauthn'))).json.error).toBe('token_invalid');
    expect((await end(response, held)).status).toBe(200);
    // Who holds on to the cookie and the answer has nothing.
    expect((await end(response, held)).json.error).toBe('token_invalid');
    const late = await begin();
    const slow = authenticator.get(late.json.options);
    site.clock.advance(5 * minute);
    expect((await end(slow, late.cookie('svc_webauthn'))).json.error).toBe('token_invalid');
    const renamed = await begin();
    const changed = clientData<typeof response>({ challenge: 'x' })(authenticator.get(renamed.json.options));
    expect((await end(changed, renamed.cookie('svc_webauthn'))).json.error).toBe('token_invalid');
  });

  it('A-97 belongs to one user: nobody registers it again, answers for them, or removes it', async () => {
    const site = await open();
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const authenticator = await addPasskey(site, me.cookie);
    const { id } = authenticator.credentials[0]!;
    expect((await register(site, other.cookie, { credentialId: id })).status).toBe(400);
    // The answer to somebody else's options, under one's own session.
    const started = await site.post('/passkeys/register/start', undefined, me);
    const response = softwareAuthenticator(page).create(started.json.options);
    const both = `${other.cookie}; ${started.cookie('svc_webauthn')}`;
    expect((await site.post('/passkeys/register/finish', { response }, { cookie: both })).json.error).toBe(
      'token_invalid',
    );
    await site.send('DELETE', `/passkeys/${id}`, undefined, other);
    expect((await passkeysOf(site, me.cookie)).map((each) => each.id)).toEqual([id]);
    expect(await passkeysOf(site, other.cookie)).toEqual([]);
    expect(await isIn(site, (await signInByPasskey(site, authenticator)).cookie())).toBe(true);
  });

  it('A-97 without a check of its holder is one factor, and none where the service asks for the check', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const authenticator = await addPasskey(site, me.cookie);
    await enrolTotp(site, me.cookie);
    const weak = await signInByPasskey(site, authenticator, 'theme=dark', { userVerified: false });
    expect(weak.json.error).toBe('mfa_required');
    expect((await signInByPasskey(site, authenticator)).status).toBe(200);
    const webauthn = {
      rpId: 'app.test',
      origins: ['https://app.test'],
      userVerification: 'required' as const,
    };
    const strict = await open({ service: { providers: { webauthn } } });
    const { cookie } = await strict.signInByCode();
    expect((await register(strict, cookie, { userVerified: false })).status).toBe(401);
    const strong = await addPasskey(strict, cookie);
    expect((await signInByPasskey(strict, strong, 'theme=dark', { userVerified: false })).status).toBe(401);
    expect((await signInByPasskey(strict, strong)).status).toBe(200);
  });
}

describeAdapters('Second factors', (on) => {
  const open = wholeProduct(on.adapter);
  secondFactors(on, open);
  passkeys(open);
});
