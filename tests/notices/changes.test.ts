// Each change of a credential is mailed to its user once (docs/decisions/notices.md).
import { outbox } from 'svc-auth/testing';
import { describeAttacks } from '../support/full-site.js';
import { validPassword, type Account } from '../support/http-site.js';
import type { SiteWithProviders } from '../support/full-site.js';
import {
  addPasskey,
  enrollTotp,
  logIn,
  requestResetToken,
  totpStepMs,
  uniquePhone,
} from '../support/site-actions.js';

const baseUrl = 'https://app.test/api/auth/not-me';
const administrator = { actor: { type: 'system' as const, id: 'support' } };
const locate = () => 'Hamburg, Germany';

interface Scene {
  site: SiteWithProviders;
  account: Account;
  id: string;
}

/** Prepares the account, and returns the change that is mailed. */
type Change = (scene: Scene) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);

const setPassword = async ({ site, account: { cookie, email } }: Scene) =>
  expect((await site.post('/password/signup', { email, password: validPassword }, { cookie })).status).toBe(
    200,
  );

async function enrolled({ site, account: { cookie } }: Scene) {
  return enrollTotp(site, cookie);
}

async function linkPhone({ site, account: { cookie } }: Scene): Promise<string> {
  const phone = uniquePhone();
  await site.post('/phone/link/send', { phone }, { cookie });
  const sent = { phone, code: site.sms.lastCode(phone) };
  const linked = await site.post('/phone/link', sent, { cookie });
  expect(linked.status).toBe(200);
  return linked.json.phone.id as string;
}

async function linkAcme({ site, account: { cookie } }: Scene): Promise<void> {
  const subject = `linked-${site.uniqueEmail()}`;
  site.acme.accounts.set(subject, { email: site.uniqueEmail(), email_verified: true });
  const started = await site.post('/oauth/acme/link', {}, { cookie });
  const { search } = await site.acme.signIn(started.json.url, subject);
  await site.get(`/oauth/acme/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
}

async function identityOf({ site, id }: Scene): Promise<string> {
  const [identity] = await site.service.users.listIdentities(id);
  return identity!.id;
}

const changes: Record<string, [subject: RegExp, change: Change]> = {
  'a first password': [/^A password was added/, (scene) => () => setPassword(scene)],
  'a new password': [
    /^The password .* was changed/,
    async (scene) => {
      await setPassword(scene);
      const { account, site } = scene;
      const body = { currentPassword: validPassword, newPassword: 'another horse battery' };
      return () => site.post('/account/password', body, { cookie: account.cookie });
    },
  ],
  'a password reset': [
    /^The password .* was reset/,
    async (scene) => {
      await setPassword(scene);
      const token = await requestResetToken(scene.site, scene.account.email);
      return () => scene.site.post('/password/reset', { token, newPassword: 'another horse battery' });
    },
  ],
  'a password of an administrator': [
    /^An administrator changed the password/,
    ({ site, id }) =>
      () =>
        site.service.users.setPassword(id, 'another horse battery', administrator),
  ],
  'a passkey': [
    /^A passkey was added/,
    ({ site, account }) =>
      () =>
        addPasskey(site, account.cookie),
  ],
  'a removed passkey': [
    /^A passkey was removed/,
    async ({ site, account: { cookie } }) => {
      await addPasskey(site, cookie);
      const { passkeys: credentials } = (await site.get('/passkeys', { cookie })).json;
      return () => site.send('DELETE', `/passkeys/${credentials[0].id}`, undefined, { cookie });
    },
  ],
  'a passkey that an administrator removes': [
    /^A passkey was removed/,
    async ({ site, account: { cookie }, id }) => {
      await addPasskey(site, cookie);
      const { passkeys: credentials } = (await site.get('/passkeys', { cookie })).json;
      return () => site.service.webauthn.removeCredential(id, credentials[0].id, administrator);
    },
  ],
  'an authenticator app': [/^Two-factor authentication was turned on/, (scene) => () => enrolled(scene)],
  'a second authenticator app': [
    /^An authenticator app was added/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      const account = { ...scene.account, cookie };
      return () => addApp(scene.site, account);
    },
  ],
  'a removed authenticator app': [
    /^An authenticator app was removed/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      const added = await addApp(scene.site, { ...scene.account, cookie });
      const path = `/totp/apps/${added.json.app.id}`;
      return () => scene.site.send('DELETE', path, undefined, { cookie: added.cookie() });
    },
  ],
  'the last authenticator app': [
    /^Two-factor authentication was turned off/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      const { apps } = (await scene.site.get('/totp/apps', { cookie })).json;
      return () => scene.site.send('DELETE', `/totp/apps/${apps[0].id}`, undefined, { cookie });
    },
  ],
  'a second factor that is turned off': [
    /^Two-factor authentication was turned off/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      return () => scene.site.post('/totp/disable', undefined, { cookie });
    },
  ],
  'a second factor that an administrator turns off': [
    /^Two-factor authentication was turned off/,
    async (scene) => {
      await enrolled(scene);
      return () => scene.site.service.totp.disable(scene.id, administrator);
    },
  ],
  'new recovery codes': [
    /^New recovery codes were created/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      return () => scene.site.post('/totp/recovery-codes', undefined, { cookie });
    },
  ],
  'codes by email': [
    /^Two-factor codes by email were turned on/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      return () => scene.site.post('/second-factor/email/enable', undefined, { cookie });
    },
  ],
  'codes by email that are turned off': [
    /^Two-factor codes by email were turned off/,
    async (scene) => {
      const { cookie } = await enrolled(scene);
      const enabled = await scene.site.post('/second-factor/email/enable', undefined, { cookie });
      return () => scene.site.post('/second-factor/email/disable', undefined, { cookie: enabled.cookie() });
    },
  ],
  'a linked identity': [/^Acme was linked/, (scene) => () => linkAcme(scene)],
  'an identity of a sign-in with the same address': [
    /^Google was linked/,
    ({ site, account: { email } }) =>
      async () => {
        site.google.accounts.set(email, { email, email_verified: true });
        const started = await site.get('/google/start');
        const { search } = await site.google.signIn(started.location!, email);
        await site.get(`/google/callback${search}`, { cookie: started.cookie('svc_oauth') });
      },
  ],
  'an identity that is unlinked': [
    /^Acme was removed/,
    async (scene) => {
      await linkAcme(scene);
      const path = `/identities/${await identityOf(scene)}`;
      return () => scene.site.send('DELETE', path, undefined, { cookie: scene.account.cookie });
    },
  ],
  'an identity that an administrator unlinks': [
    /^Acme was removed/,
    async (scene) => {
      await linkAcme(scene);
      const identity = await identityOf(scene);
      return () => scene.site.service.users.unlinkIdentity(scene.id, identity, administrator);
    },
  ],
  'a phone number': [/^A phone number was added/, (scene) => () => linkPhone(scene)],
  'a removed phone number': [
    /^A phone number was removed/,
    async (scene) => {
      const phone = await linkPhone(scene);
      const { cookie } = scene.account;
      return () => scene.site.send('DELETE', `/phones/${phone}`, undefined, { cookie });
    },
  ],
  'a user name': [
    /^The user name .* was changed/,
    ({ site, account: { cookie } }) =>
      () =>
        site.send('PUT', '/username', { username: nameOf(site) }, { cookie }),
  ],
  'a user name of an administrator': [
    /^The user name .* was changed/,
    ({ site, id }) =>
      () =>
        site.service.users.update(id, { username: nameOf(site) }, administrator),
  ],
  'an API key': [
    /^An API key was created/,
    ({ site, account: { cookie } }) =>
      () =>
        site.post('/api-keys', { name: 'CI', scopes: ['read'] }, { cookie }),
  ],
  'a trusted browser': [
    /^A trusted browser was added/,
    async (scene) => {
      const { site, account } = scene;
      await setPassword(scene);
      const { code } = await enrolled(scene);
      const first = await logIn(site, account.email, validPassword);
      const body = { code: code(), trustBrowser: true };
      return () => site.post('/mfa/verify', body, { cookie: first.cookie('svc_mfa') });
    },
  ],
};

const nameOf = (site: SiteWithProviders) => site.uniqueEmail().split('@')[0]!.replaceAll('-', '_');

async function addApp(site: SiteWithProviders, { cookie }: Pick<Account, 'cookie'>) {
  const { codeAt } = await import('../support/authenticator-app.js');
  const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
  const body = { code: codeAt(secret, site.clock.now()), name: 'Tablet' };
  const added = await site.post('/totp/apps', body, { cookie });
  expect(added.status).toBe(200);
  site.clock.advance(totpStepMs);
  return added;
}

describeAttacks('A change of a credential', ({ open }) => {
  async function openWithNotices(options: object = {}) {
    const notices = outbox();
    const site = await open({
      service: { locate, notices: { sender: notices, baseUrl, newDevice: false, ...options } },
    });
    return { site, notices };
  }

  async function prepare(site: SiteWithProviders): Promise<Scene> {
    const { email, password, cookie, user } = await site.signInByCode();
    return { site, account: { email, password, cookie, user }, id: user.id as string };
  }

  it.each(Object.entries(changes))('mails one notice: %s', async (_name, [subject, change]) => {
    const { site, notices } = await openWithNotices();
    const scene = await prepare(site);
    const make = await change(scene);
    await site.settle();
    notices.clear();
    await make();
    await site.settle();
    expect(notices.messages.map(({ to }) => to)).toEqual([scene.account.email]);
    const [notice] = notices.messages;
    expect([notice!.kind, notice!.subject]).toEqual(['notice', expect.stringMatching(subject)]);
    expect(notice!.text).toContain('Time: ');
    expect(notice!.text).toContain(`${baseUrl}?token=`);
    expect(notice!.html).toContain('This wasn’t me');
  });

  it.each(Object.entries(changes))('mails nothing without the option: %s', async (_name, [, change]) => {
    const { site, notices } = await openWithNotices({ credentials: false });
    const make = await change(await prepare(site));
    await make();
    await site.settle();
    expect(notices.messages).toEqual([]);
  });

  it('of the address mails both addresses, and only the new one gets into the account', async () => {
    const { site, notices } = await openWithNotices();
    const { account } = await prepare(site);
    const { cookie, email: old } = account;
    const email = site.uniqueEmail();
    await site.post('/account/email', { email }, { cookie });
    const codes = { code: site.mail.lastCode(email), currentCode: site.mail.lastCode(old) };
    site.mail.clear();
    expect((await site.post('/account/email/confirm', { email, ...codes }, { cookie })).status).toBe(200);
    await site.settle();
    const sent = [...site.mail.messages, ...notices.messages].map(({ to, subject }) => [to, subject]);
    expect(sent.sort()).toEqual(
      [
        [old, 'The email address of your Acme account was changed'],
        [email, 'Your Acme account now uses this email address'],
      ].sort(),
    );
    expect(site.mail.lastLink(old)).toMatch(/not-me\?token=/);
  });

  it('of the address by an administrator mails both addresses, unless the new one is unverified', async () => {
    const { site, notices } = await openWithNotices();
    for (const emailVerified of [true, false]) {
      notices.clear();
      const { account, id } = await prepare(site);
      const email = site.uniqueEmail();
      await site.service.users.update(id, { email, emailVerified }, administrator);
      await site.settle();
      const addresses = notices.messages.map(({ to }) => to).sort();
      expect(addresses).toEqual([account.email, ...(emailVerified ? [email] : [])].sort());
    }
  });

  it('has the device and the place of the request, and neither for an administrator', async () => {
    const { site, notices } = await openWithNotices();
    const scene = await prepare(site);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const options = { cookie: scene.account.cookie, headers: { 'User-Agent': firefox } };
    await site.send('PUT', '/username', { username: nameOf(site) }, options);
    await site.service.users.setPassword(scene.id, validPassword, administrator);
    await site.settle();
    const [own, administrative] = notices.messages;
    expect(own!.text).toContain('Device: Firefox on Linux\nLocation: Hamburg, Germany');
    expect(administrative!.text).not.toMatch(/Device:|Location:/);
  });

  it('mails nothing to an unverified address, which may be that of another person', async () => {
    const { site, notices } = await openWithNotices({ newDevice: true });
    const { cookie, email, password } = await site.signUp();
    await site.send('PUT', '/username', { username: nameOf(site) }, { cookie });
    await logIn(site, email, password);
    await site.settle();
    expect(notices.messages).toEqual([]);
  });

  it('succeeds, and is reported by its response at once, if the notice cannot be sent', async () => {
    let sends = 0;
    const sender = { send: () => ((sends += 1), Promise.reject(new Error('The server is down.'))) };
    const site = await open({ service: { notices: { sender, baseUrl } } });
    const { account } = await prepare(site);
    const username = nameOf(site);
    expect((await site.send('PUT', '/username', { username }, { cookie: account.cookie })).json).toEqual({
      username,
    });
    await site.settle();
    expect(sends).toBe(1);
  });

  it('is mailed ten times a day for one kind of change, and every other kind is still mailed', async () => {
    const { site, notices } = await openWithNotices();
    const { id } = await prepare(site);
    for (let n = 0; n < 15; n += 1)
      await site.service.users.update(id, { username: `${nameOf(site)}_${n}` }, administrator);
    await site.settle();
    expect(notices.messages).toHaveLength(10);
    expect(site.log.filter(({ fields }) => fields['event'] === 'notice_limited')).toHaveLength(5);
    await site.service.users.setPassword(id, validPassword, administrator);
    await site.settle();
    expect(notices.messages).toHaveLength(11);
    site.clock.advance(24 * 60 * 60_000);
    await site.service.users.update(id, { username: `${nameOf(site)}_new` }, administrator);
    await site.settle();
    expect(notices.messages).toHaveLength(12);
  });

  it('is mailed although the session that made it ends at once, and the account signs out', async () => {
    const { site, notices } = await openWithNotices();
    const { account, id } = await prepare(site);
    const { cookie, email } = account;
    await addPasskey(site, cookie);
    await site.service.users.signOut(id);
    await site.settle();
    expect(notices.messages.map(({ subject, to }) => [to, subject])).toEqual([
      [email, 'A passkey was added to your Acme account'],
    ]);
  });

  it('has the template of the application, with the change and the link', async () => {
    const values: Record<string, unknown>[] = [];
    const template = (given: { change: string; about: string | null; event: { notMeUrl?: string } }) => {
      values.push({ change: given.change, about: given.about, url: given.event.notMeUrl });
      return { subject: 'Changed', html: '<p>Changed</p>', text: 'Changed' };
    };
    const { site, notices } = await openWithNotices({ template });
    const scene = await prepare(site);
    await linkAcme(scene);
    await site.settle();
    expect(notices.messages.map(({ subject }) => subject)).toEqual(['Changed']);
    expect(values).toEqual([
      { change: 'identity_linked', about: 'Acme', url: expect.stringContaining(`${baseUrl}?token=`) },
    ]);
  });
});
