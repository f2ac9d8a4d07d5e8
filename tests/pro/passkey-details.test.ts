// Names of passkeys, their last use, and challenges for the suggestions of a form.
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { passkeyFixtures } from '../support/passkeys.js';

const iCloudKeychain = 'dd4ec289-e01d-41c9-bb89-70fa845d4bf2';

describeAdapters('Details of passkeys', (on) => {
  const { makePasskeys, passkeyUser, registeredUser, register, signIn } = passkeyFixtures(on);

  it('a passkey has the name of its model until the user chooses one, and again without it', async () => {
    const holder = await registeredUser({ aaguid: iCloudKeychain });
    const { test, user, credential } = holder;
    expect([credential.name, credential.aaguid]).toEqual(['iCloud Keychain', iCloudKeychain]);
    const rename = (name: string | null) =>
      test.service.webauthn.renameCredential({ userId: user.id, credentialId: credential.id, name });
    expect((await rename('  Work laptop 💼 ')).credential).toEqual({ ...credential, name: 'Work laptop 💼' });
    expect(await test.service.webauthn.listCredentials(user.id)).toMatchObject([{ name: 'Work laptop 💼' }]);
    expect((await test.service.account.exportData(user.id)).passkeys).toMatchObject([
      { name: 'Work laptop 💼', lastUsedFrom: null },
    ]);
    expect((await rename(null)).credential).toEqual(credential);
  });

  it('a name is chosen at the registration', async () => {
    const holder = await passkeyUser();
    const { webauthn } = holder.test.service;
    const { options, challenge } = await webauthn.startRegistration(holder.user.id);
    const response = holder.authenticator.create(options);
    const input = { userId: holder.user.id, response, expectedChallenge: challenge };
    for (const name of ['', ' ', 'two\nlines', 'x'.repeat(101), '\ud800', 7 as never])
      expect(await outcomeOf(() => webauthn.finishRegistration({ ...input, name }))).toBe('invalid_request');
    // A refused name does not use up the challenge.
    const { credential } = await webauthn.finishRegistration({ ...input, name: 'Phone' });
    expect(credential.name).toBe('Phone');
  });

  it('renaming refuses the passkey of another user, and malformed names', async () => {
    const holder = await registeredUser();
    const other = await registeredUser({}, holder.test);
    const { webauthn } = holder.test.service;
    const rename = (credentialId: string, name: string | null) =>
      outcomeOf(() => webauthn.renameCredential({ userId: holder.user.id, credentialId, name }));
    for (const id of [other.credential.id, 'unknown', '', 'nul\0', 'x'.repeat(100_000)])
      expect(await rename(id, 'Mine')).toBe('invalid_request');
    for (const name of ['', 'two\nlines', 'x'.repeat(101)])
      expect(await rename(holder.credential.id, name)).toBe('invalid_request');
    expect(await webauthn.listCredentials(other.user.id)).toEqual([other.credential]);
  });

  it('a sign-in records the browser and the state of the backup', async () => {
    const holder = await registeredUser({ flags: { backupEligible: true } });
    const context = { ip: '203.0.113.7', userAgent: 'Firefox \0 on \ud800', startSession: true };
    await signIn(holder, undefined, { backedUp: true }, undefined, context);
    const [passkey] = await holder.test.service.webauthn.listCredentials(holder.user.id);
    expect(passkey).toMatchObject({ backedUp: true, lastUsedAt: new Date(holder.test.clock.now()) });
    expect(passkey?.lastUsedFrom?.ip).toBe('203.0.113.7');
    expect(passkey?.lastUsedFrom?.userAgent).toMatch(/^Firefox/);
    await signIn(holder);
    const [later] = await holder.test.service.webauthn.listCredentials(holder.user.id);
    expect(later?.lastUsedFrom).toBeNull();
  });

  it('a browser shows the user name of a user without an address next to a new passkey', async () => {
    const test = await makePasskeys({}, { usernames: { enabled: true } });
    const { user } = await test.service.users
      .create({ username: `grace.${String(Date.now())}` })
      .then((created) => ({ user: created }));
    const { options } = await test.service.webauthn.startRegistration(user.id);
    expect(options.user.name).toBe(user.username);
  });

  it('challenges for the suggestions of a form have their own limit, which leaves sign-ins alone', async () => {
    const holder = await registeredUser();
    const { webauthn } = holder.test.service;
    const ip = '198.51.100.77';
    expect(await race(210, () => webauthn.startAutofill({ ip }))).toEqual({ ok: 210 });
    const { options, challenge } = await webauthn.startAutofill({ ip });
    expect(options.allowCredentials ?? []).toEqual([]);
    expect(await outcomeOf(() => webauthn.startAuthentication(undefined, { ip }))).toBe('ok');
    const response = holder.authenticator.get(options);
    const result = await webauthn.finishAuthentication({ response, expectedChallenge: challenge }, { ip });
    expect(result.user).toEqual(holder.user);
  });

  it('two passkeys of one user are renamed independently', async () => {
    const holder = await registeredUser();
    const second = await register({ ...holder, authenticator: softwareAuthenticator() });
    const { webauthn } = holder.test.service;
    await Promise.all(
      [holder.credential, second].map(({ id: credentialId }, index) =>
        webauthn.renameCredential({ userId: holder.user.id, credentialId, name: `Key ${index}` }),
      ),
    );
    const names = (await webauthn.listCredentials(holder.user.id)).map(({ name }) => name);
    expect(names.sort()).toEqual(['Key 0', 'Key 1']);
  });
});
