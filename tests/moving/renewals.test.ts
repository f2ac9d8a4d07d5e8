/** The first sign-in with an imported hash: it becomes ours, unless another spelling of the password would be shut out. */
import { scryptSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { makeService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

async function signInsOf(passwordHash: string, passwords: readonly string[]) {
  const { service, adapter } = await makeService();
  const email = 'ada@example.com';
  await service.users.import([{ externalId: 'a', email, emailVerified: true, passwordHash }]);
  const outcomes = [];
  for (const password of passwords)
    outcomes.push(await outcomeOf(() => service.emailPassword.login({ email, password })));
  const { passwordHash: stored } = (await adapter.users.findByEmail(email))!;
  return { outcomes, isOurs: !stored!.startsWith('imported:') };
}

describe('the first sign-in with an imported hash', () => {
  it('makes it ours', async () => {
    const hash = await bcrypt.hash('correct horse battery', 4);
    const { isOurs } = await signInsOf(hash, ['correct horse battery']);
    expect(isOurs).toBe(true);
  });

  it('keeps a hash of better-auth if other keyboards spell the password in another way', async () => {
    const password = 'café correct horse';
    const salt = '00112233445566778899aabbccddeeff';
    const key = scryptSync(password.normalize('NFKC'), salt, 64, { N: 16384, r: 16, p: 1, maxmem: 2 ** 26 });
    const hash = `${salt}:${key.toString('hex')}`;
    const both = [password.normalize('NFD'), password.normalize('NFC'), password.normalize('NFD')];
    expect(await signInsOf(hash, both)).toEqual({ outcomes: ['ok', 'ok', 'ok'], isOurs: false });
  });

  it('keeps a hash of bcrypt if the password is longer than what it compares', async () => {
    const password = 'a'.repeat(30) + 'b'.repeat(50);
    const hash = await bcrypt.hash(password, 4);
    const typed = [`${password.slice(0, -1)}c`, password];
    expect(await signInsOf(hash, typed)).toEqual({ outcomes: ['ok', 'ok'], isOurs: false });
  });
});
