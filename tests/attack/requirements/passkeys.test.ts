// Passkeys that are registered or presented with manipulated responses, on each storage.
import { softwareAuthenticator, type TamperOptions } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import { withClientData, tamperedFields } from '../../support/passkeys.js';
import { minute } from '../../support/make-pro-service.js';
import { addPasskey, enrollTotp, isSignedIn, signInByPasskey } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

describeAdapters('Passkeys', (on) => {
  const open = fullSiteOpener(on.adapter);
  const withAppOrigin = (tampering: TamperOptions): TamperOptions =>
    JSON.parse(JSON.stringify(tampering).replaceAll('acme.test', 'app.test')) as TamperOptions;
  const tamperings = tamperedFields.map(([name, tampering]) => [name, withAppOrigin(tampering)] as const);
  const page = { origin: 'https://app.test' };
  const passkeysOf = async (site: FullSite, cookie: string) =>
    (await site.get('/passkeys', { cookie })).json.passkeys as { id: string }[];

  async function register(
    site: FullSite,
    cookie: string,
    tampering: TamperOptions,
    change: (response: unknown) => unknown = (response) => response,
    device = softwareAuthenticator(page),
  ) {
    const started = await site.post('/passkeys/register/start', undefined, { cookie });
    const response = change(device.create(started.json.options, tampering));
    return site.post(
      '/passkeys/register/finish',
      { response },
      { cookie: `${cookie}; ${started.cookie('svc_webauthn')}` },
    );
  }

  //
  it('rejects the registration of a passkey with any tampered response', async () => {
    const site = await open();
    const { cookie } = await site.signInByCode();
    const further: [string, TamperOptions][] = [
      ['an id of 1024 bytes', { credentialId: Buffer.alloc(1_024, 1).toString('base64url') }],
      ['an empty id', { credentialId: '' }],
    ];
    for (const [name, tampering] of [...tamperings, ...further]) {
      const { status } = await register(site, cookie, tampering);
      expect([name, status >= 400 && status < 500]).toEqual([name, true]);
    }
    expect(await passkeysOf(site, cookie)).toEqual([]);
    expect((await register(site, cookie, {})).status).toBe(200);
  });

  //
  it('rejects a passkey sign-in with a tampered response, another user’s key, handle or id, or a stale counter', async () => {
    const site = await open();
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const [authenticator, theirs] = [await addPasskey(site, me.cookie), await addPasskey(site, other.cookie)];
    const [mine, foreign] = [authenticator.credentials[0]!, theirs.credentials[0]!];
    expect((await signInByPasskey(site, authenticator)).status).toBe(200);
    const further: [string, TamperOptions][] = [
      ['another key', { forged: true }],
      ['the handle of another user', { userHandle: foreign.userHandle }],
      ['no handle', { userHandle: null }],
      ['the id of another’s passkey', { credentialId: foreign.id }],
      ['an unknown id', { credentialId: Buffer.from('nobody').toString('base64url') }],
      ['the counter of the last sign-in', { counter: mine.counter }],
      ['an older counter', { counter: 1 }],
      ['a counter of zero', { counter: 0 }],
      ['a key that has become backup eligible', { backupEligible: true }],
    ];
    for (const [name, tampering] of [...tamperings, ...further]) {
      const { status, cookies } = await signInByPasskey(site, authenticator, 'theme=dark', tampering);
      const entries = cookies.filter((cookie) => cookie.name === 'svc_session' && cookie.value !== '');
      expect([name, status, entries]).toEqual([name, 401, []]);
    }
    mine.counter += 50;
    const answer = await signInByPasskey(site, authenticator);
    expect((await site.get('/session', { cookie: answer.cookie() })).json.user.id).toBe(me.user.id);
  });

  //
  it('accepts a passkey response once, within five minutes, in the browser that requested it, for its own challenge', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const authenticator = await addPasskey(site, me.cookie);
    const begin = () => site.post('/passkeys/authenticate/start');
    const end = (response: unknown, cookie: string) =>
      site.post('/passkeys/authenticate/finish', { response }, { cookie });
    const started = await begin();
    const challengeCookie = started.cookie('svc_webauthn');
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
    expect((await end(response, challengeCookie)).status).toBe(200);
    // The cookie and the response have no further use.
    expect((await end(response, challengeCookie)).json.error).toBe('token_invalid');
    const late = await begin();
    const slow = authenticator.get(late.json.options);
    site.clock.advance(5 * minute);
    expect((await end(slow, late.cookie('svc_webauthn'))).json.error).toBe('token_invalid');
    const tampered = await begin();
    const tamperedResponse = withClientData<typeof response>({ challenge: 'x' })(
      authenticator.get(tampered.json.options),
    );
    expect((await end(tamperedResponse, tampered.cookie('svc_webauthn'))).json.error).toBe('token_invalid');
  });

  //
  it('lets no one but its owner register a passkey again, finish its registration or remove it', async () => {
    const site = await open();
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const authenticator = await addPasskey(site, me.cookie);
    const { id } = authenticator.credentials[0]!;
    expect((await register(site, other.cookie, { credentialId: id })).status).toBe(400);
    // The response to another user's options, in one's own session.
    const started = await site.post('/passkeys/register/start', undefined, me);
    const response = softwareAuthenticator(page).create(started.json.options);
    const both = `${other.cookie}; ${started.cookie('svc_webauthn')}`;
    expect((await site.post('/passkeys/register/finish', { response }, { cookie: both })).json.error).toBe(
      'token_invalid',
    );
    await site.send('DELETE', `/passkeys/${id}`, undefined, other);
    expect((await passkeysOf(site, me.cookie)).map((each) => each.id)).toEqual([id]);
    expect(await passkeysOf(site, other.cookie)).toEqual([]);
    expect(await isSignedIn(site, (await signInByPasskey(site, authenticator)).cookie())).toBe(true);
  });

  //
  it('counts a passkey without user verification as one factor, and rejects it if the service requires verification', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const authenticator = await addPasskey(site, me.cookie);
    await enrollTotp(site, me.cookie);
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
