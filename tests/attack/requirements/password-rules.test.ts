// What is significant in a password, what its hash costs, and what is never asked for.
import { bcryptHasher } from 'svc-auth';
import { validPassword } from '../../support/http-site.js';
import { passwordSetters } from './password-setters.js';
import { logIn, outcome } from '../../support/site-actions.js';
import { fullSiteOpener } from '../../support/full-site.js';

const realBcrypt = { providers: { emailPassword: { hasher: bcryptHasher() } } };

describe('Password rules', () => {
  const open = fullSiteOpener();

  //
  it('accepts 64 emoji, compares every byte and hashes with bcrypt at cost 10, on every route', async () => {
    const site = await open({ service: realBcrypt });
    const emoji = '😀'.repeat(64);
    const long = `${'a'.repeat(72)}X`;
    const attempts = passwordSetters.map(async ([name, make], index) => {
      const { email, set } = await make(site);
      const password = index % 2 === 0 ? emoji : long;
      expect([name, (await set(password)).status]).toEqual([name, 200]);
      const hash = (await site.adapter.users.findByEmail(email))!.passwordHash;
      expect(hash).toMatch(/^\$2[aby]\$10\$.{53}$/);
      const others =
        password === emoji ? [`${emoji.slice(0, -2)}😁`, hash!] : [`${'a'.repeat(72)}Y`, 'a'.repeat(72)];
      for (const other of others)
        expect([name, (await logIn(site, email, other)).status]).toEqual([name, 401]);
      expect([name, (await logIn(site, email, password)).status]).toEqual([name, 200]);
    });
    await Promise.all(attempts);
  });

  //
  it('compares bytes past the 72nd of the current password on a change', async () => {
    const site = await open({ service: realBcrypt });
    const { email, cookie } = await site.signUp();
    const first = `${'a'.repeat(72)}X`;
    const change = (currentPassword: string, newPassword: string, at = cookie) =>
      site.post('/account/password', { currentPassword, newPassword }, { cookie: at });
    const changed = await change(validPassword, first);
    const newCookie = changed.cookie();
    for (const near of [`${'a'.repeat(72)}Y`, 'a'.repeat(72)])
      expect(outcome(await change(near, 'of a thief', newCookie))).toBe('401 invalid_credentials');
    expect((await logIn(site, email, first)).status).toBe(200);
  });

  //
  it('rejects a bcrypt cost below 10', () => {
    for (const cost of [0, 4, 9, 9.5, NaN, Infinity, '10' as never])
      expect(() => bcryptHasher({ cost })).toThrow(RangeError);
  });

  //
  it('has no route or field for password hints or questions', async () => {
    const { openapiDocument } = await import('../../../src/http/openapi/document.js');
    const { paths, components } = openapiDocument({ version: '1' });
    expect(Object.keys(paths ?? {}).length).toBeGreaterThan(40);
    expect(JSON.stringify([paths, components])).not.toMatch(/\bhint|question|maiden|\bpet\b/i);
  });

  //
  it('has no option for password expiry', async () => {
    const { readFileSync } = await import('node:fs');
    const options = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    expect(options).toContain('providers.emailPassword.minLength');
    expect(options).not.toMatch(
      /rotat\w* of passwords|passwordMaxAge|password\w*expir|mustChange|hint|secretQuestion/i,
    );
  });
});
