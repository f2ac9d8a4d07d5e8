/** `GET /passkeys/signals`: what browsers should know about the passkeys of a user, after each change of what they show. */
import express from 'express';
import { outbox } from 'svc-auth/testing';
import { openSite, validPassword, type Site } from '../support/http-site.js';
import { addPasskey } from '../support/site-actions.js';

let site: Site;
afterEach(() => site.close());

/** @param cache whether sessions are cached, with the address from before the change. */
async function open(cache: boolean) {
  const mail = outbox();
  site = await openSite(express, undefined, {
    pro: true,
    service: {
      mail,
      encryptionKey: 'an encryption key of the tests, 32 bytes or more',
      usernames: { enabled: true },
      session: cache ? { cache: {} } : {},
      providers: {
        account: { sender: mail },
        webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
      },
    },
  });
}

const signals = async (cookie: string) =>
  (await site.get('/passkeys/signals', { cookie })).json as {
    rpId: string;
    userId: string;
    credentialIds: string[] | null;
    name: string | null;
    displayName: string;
  };

/** Changes the address of a user with a verified one. Returns the new address and the cookie. */
async function changeAddress(from: string, cookie: string) {
  const email = site.uniqueEmail();
  await site.post('/account/email', { email }, { cookie });
  const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(from)];
  const changed = await site.post('/account/email/confirm', { email, code, currentCode }, { cookie });
  expect(changed.status).toBe(200);
  const renewed = changed.cookies.find(({ name, value }) => name === 'svc_session' && value !== '');
  return { email, cookie: renewed ? `${renewed.name}=${renewed.value}` : cookie };
}

describe.each([
  ['without a cache of sessions', false],
  ['with cached sessions', true],
])('the signals of a user, %s', (_case, cache) => {
  it('contain the new address at once after a change, with every passkey', async () => {
    await open(cache);
    const user = await site.signInByCode();
    const authenticator = await addPasskey(site, user.cookie);
    const credentialIds = authenticator.credentials.map(({ id }) => id);
    const before = await signals(user.cookie);
    expect(before).toMatchObject({ rpId: 'app.test', credentialIds, name: user.email });
    const changed = await changeAddress(user.email, user.cookie);
    expect(await signals(changed.cookie)).toEqual({ ...before, name: changed.email });
  });

  it('contain the new user name at once if the user has no address, and else the address', async () => {
    await open(cache);
    const rename = async (cookie: string, username: string) => {
      const { status } = await site.send('PUT', '/username', { username }, { cookie });
      expect(status).toBe(200);
      return (await signals(cookie)).name;
    };
    const person = { username: 'ada.one', password: validPassword };
    await site.service.users.create(person);
    const cookie = (await site.post('/password/login', person)).cookie();
    expect((await signals(cookie)).name).toBe('ada.one');
    expect(await rename(cookie, 'ada.two')).toBe('ada.two');
    const addressed = await site.signInByCode();
    expect(await rename(addressed.cookie, 'grace.one')).toBe(addressed.email);
  });

  it('lack a removed passkey at once, and are refused after the end of the session', async () => {
    await open(cache);
    const { cookie } = await site.signInByCode();
    const [kept, removed] = [await addPasskey(site, cookie), await addPasskey(site, cookie)].map(
      ({ credentials }) => credentials[0]!.id,
    ) as [string, string];
    await site.send('DELETE', `/passkeys/${removed}`, undefined, { cookie });
    expect((await signals(cookie)).credentialIds).toEqual([kept]);
    await site.post('/logout', {}, { cookie });
    expect((await site.get('/passkeys/signals', { cookie })).status).toBe(401);
  });
});
