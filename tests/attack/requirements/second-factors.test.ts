// Authenticator apps and recovery codes, attacked through the routes and through the storage.
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { Account } from '../../support/http-site.js';
import { encryptionKey } from '../../support/every-provider.js';
import { minute } from '../../support/make-pro-service.js';
import { enrollTotp, totpStepMs } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

describeAdapters('Second factors', (on) => {
  const open = fullSiteOpener(on.adapter);
  async function enrolled(site: FullSite) {
    const me = await site.signInByCode();
    return { ...me, ...(await enrollTotp(site, me.cookie)) };
  }

  /** Starts a sign-in and returns the cookie that waits for the second factor. */
  async function waiting(site: FullSite, { email }: Pick<Account, 'email'>): Promise<string> {
    await site.post('/email-code/send', { email });
    const response = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
    expect(response.json.error).toBe('mfa_required');
    return response.cookie('svc_mfa');
  }

  const finish = (site: FullSite, cookie: string, body: object) => site.post('/mfa/verify', body, { cookie });
  const outcome = ({ status, json }: HttpResponse) => (status === 200 ? 'ok' : (json.error as string));
  const storedSecret = async (site: FullSite, userId: string) =>
    (await site.adapter.totp!.find(userId))!.secret!;
  const replaceSecret = async (site: FullSite, userId: string, secret: string) =>
    site.adapter.totp!.reencrypt(userId, await storedSecret(site, userId), secret);

  //
  it('accepts no code if the stored secret of one user is replaced with that of another', async () => {
    const site = await open();
    const [victim, attacker] = [await enrolled(site), await enrolled(site)];
    const own = await storedSecret(site, victim.user.id);
    await replaceSecret(site, victim.user.id, await storedSecret(site, attacker.user.id));
    expect(await storedSecret(site, victim.user.id)).not.toBe(own);
    const cookie = await waiting(site, victim);
    for (const code of [attacker.code(), victim.code()]) {
      const response = await finish(site, cookie, { code });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.cookies.filter(({ name, value }) => name === 'svc_session' && value !== '')).toEqual(
        [],
      );
    }
    await replaceSecret(site, victim.user.id, own);
    site.clock.advance(minute);
    expect(outcome(await finish(site, cookie, { code: victim.code() }))).toBe('ok');
  });

  //
  it('accepts no code if any part of the stored secret is changed, and encrypts every secret differently', async () => {
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
    // Spellings that Node.js decodes to the same bytes.
    const respelled = [2, 3, 4].flatMap((i) =>
      [`${parts[i]}=`, ` ${parts[i]}`].map((part) => parts.with(i, part).join('.')),
    );
    const damaged = [
      ...respelled,
      parts.slice(0, 4).join('.'),
      parts.with(4, '').join('.'),
      parts.with(4, parts[4]!.slice(0, 6)).join('.'),
      'x',
      me.secret,
      `v0.${me.secret}`,
    ];
    for (const secret of [...changed, ...damaged]) {
      await replaceSecret(site, me.user.id, secret);
      // Waits out the limit on failures, so that each secret fails for its own content.
      site.clock.advance(15 * minute);
      expect([secret, await site.service.totp.verify(me.user.id, me.code())]).toEqual([secret, false]);
    }
    await replaceSecret(site, me.user.id, own);
    site.clock.advance(15 * minute);
    expect(await site.service.totp.verify(me.user.id, me.code())).toBe(true);
    const sealed = [own];
    for (let i = 0; i < 4; i += 1) sealed.push(await storedSecret(site, (await enrolled(site)).user.id));
    const ivs = sealed.map((each) => each.split('.')[2]!);
    expect(new Set(ivs).size).toBe(5);
    expect(ivs.map((iv) => Buffer.from(iv, 'base64url').length)).toEqual([12, 12, 12, 12, 12]);
  });

  //
  it('decrypts secrets with the current or a previous encryption key only, and reencrypts them with the current one', async () => {
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

  //
  it('accepts a code one step around the server’s time only, regardless of the Date header', async () => {
    const site = await open();
    for (const [offset, expected] of [
      [-2, 'code_invalid'],
      [2, 'code_invalid'],
      [-1, 'ok'],
      [1, 'ok'],
      [0, 'ok'],
    ] as const) {
      const me = await enrolled(site);
      // Past the step of the code that confirmed the enrollment, which is used up.
      site.clock.advance(10 * minute);
      const code = codeAt(me.secret, site.clock.now() + offset * totpStepMs);
      const cookie = await waiting(site, me);
      const headers = { Date: new Date(site.clock.now() + offset * totpStepMs).toUTCString() };
      expect([offset, outcome(await site.post('/mfa/verify', { code }, { cookie, headers }))]).toEqual([
        offset,
        expected,
      ]);
    }
  });

  //
  it('accepts a code once among concurrent sign-ins, and no earlier code afterwards', async () => {
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
      outcome(await finish(site, await waiting(site, me), { code: codeAt(me.secret, now - totpStepMs) })),
    ).toBe('code_invalid');
  });

  //
  it('rejects even the correct code after five wrong codes and recovery codes in total', async () => {
    const site = await open();
    const me = await enrolled(site);
    site.clock.advance(10 * minute);
    const cookie = await waiting(site, me);
    const wrong = wrongCodeAt(me.secret, site.clock.now());
    const attempts = [
      { code: wrong },
      { recoveryCode: 'A'.repeat(24) },
      { code: wrong },
      { recoveryCode: me.recoveryCodes[0]!.slice(1) },
      { code: wrong },
    ];
    const outcomes: string[] = [];
    for (const body of [...attempts, { code: me.code() }, { recoveryCode: me.recoveryCodes[0]! }]) {
      outcomes.push(outcome(await finish(site, cookie, body)));
    }
    expect(outcomes).toEqual([
      ...attempts.map(() => 'code_invalid'),
      'max_attempts_exceeded',
      'max_attempts_exceeded',
    ]);
    // Another browser and another sign-in of the same user share the count.
    expect(outcome(await finish(site, await waiting(site, me), { code: me.code() }))).toBe(
      'max_attempts_exceeded',
    );
  });

  //
  it('issues ten recovery codes of 50 bits, accepts each once for its user and stores none in clear', async () => {
    const site = await open();
    const [me, other] = [await enrolled(site), await enrolled(site)];
    const plain = (code: string) => code.replace(/[^A-Z2-7]/gi, '');
    expect(new Set([...me.recoveryCodes, ...other.recoveryCodes]).size).toBe(20);
    for (const code of me.recoveryCodes) expect(plain(code)).toMatch(/^[A-Z2-7]{10}$/);
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
});
