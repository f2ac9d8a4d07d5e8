// Stored hashes of other systems that bcrypt can verify.
import { bcryptHasher } from 'svc-auth';

describe('a stored bcrypt hash', () => {
  it.each(['$2a$', '$2b$', '$2y$'])('with the prefix %s verifies', async (prefix) => {
    const hasher = bcryptHasher();
    const hash = (await hasher.hash('a battery that is a horse')).replace('$2b$', prefix);
    expect(await hasher.verify('a battery that is a horse', hash)).toBe(true);
    expect(await hasher.verify('another', hash)).toBe(false);
  });

  it('with the prefix of PHP is replaced at the next sign-in', async () => {
    const hasher = bcryptHasher();
    const hash = await hasher.hash('a battery that is a horse');
    expect(hasher.needsRehash?.(hash.replace('$2b$', '$2y$'))).toBe(true);
    expect(hasher.needsRehash?.(hash)).toBe(false);
  });
});
