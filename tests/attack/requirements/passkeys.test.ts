// passkeys, registered and shown by whoever lies about them, on each storage.
import { softwareAuthenticator, type AuthenticatorLie } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import { clientData, lies } from '../../support/passkeys.js';
import { minute } from '../../support/make-pro-service.js';
import { addPasskey, enrolTotp, isIn, signInByPasskey } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

describeAdapters('Passkeys', (on) => {
  const open = wholeProduct(on.adapter);
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
});
