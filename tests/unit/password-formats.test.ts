// Stored hashes of other systems.
import { argon2idHasher, bcryptHasher, type PasswordHasher } from 'svc-auth';
import { cheapHasher, makeService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

const password = 'a battery that is a horse';

describe('a stored bcrypt hash', () => {
  it.each(['$2a$', '$2b$', '$2y$'])('with the prefix %s verifies', async (prefix) => {
    const hasher = bcryptHasher();
    const hash = (await hasher.hash(password)).replace('$2b$', prefix);
    expect(await hasher.verify(password, hash)).toBe(true);
    expect(await hasher.verify('another', hash)).toBe(false);
  });

  it('with the prefix of PHP is replaced at the next sign-in', async () => {
    const hasher = bcryptHasher();
    const hash = await hasher.hash(password);
    expect(hasher.needsRehash?.(hash.replace('$2b$', '$2y$'))).toBe(true);
    expect(hasher.needsRehash?.(hash)).toBe(false);
  });
});

describe('a failed sign-in', () => {
  // Of scrypt, as another library stores it.
  const foreignHash = 'dc0b5e2f:3d3f2b1f0c6f4b0e';

  async function signIn(hasher: PasswordHasher, storedHash: string, attempt: string) {
    const { service, adapter, log } = await makeService({ providers: { emailPassword: { hasher } } });
    const user = await service.users.create({ email: 'ada@acme.test' });
    const { epoch } = (await adapter.users.findById(user.id))!;
    await adapter.users.setFirstPassword(user.id, epoch, storedHash, new Date(0));
    const outcome = await outcomeOf(() =>
      service.emailPassword.login({ email: 'ada@acme.test', password: attempt }),
    );
    const errors = log.filter(({ level }) => level === 'error');
    await service.close();
    return { outcome, errors, userId: user.id };
  }

  it.each([
    ['bcryptHasher', bcryptHasher],
    ['argon2idHasher', argon2idHasher],
  ])('logs that %s does not know the format of the hash, without the hash', async (_name, hasher) => {
    const { outcome, errors, userId } = await signIn(hasher(), foreignHash, password);
    expect(outcome).toBe('invalid_credentials');
    expect(errors).toEqual([
      {
        level: 'error',
        fields: { event: 'password_hash_unknown', userId },
        message: 'a stored password hash has a format that the hasher does not know: no password matches it',
      },
    ]);
  });

  it.each([
    ['of bcrypt', bcryptHasher()],
    ['of Argon2id', argon2idHasher()],
    ['of bcrypt, which Argon2id takes over', argon2idHasher(), bcryptHasher()],
    ['of a hasher that knows no formats', cheapHasher()],
    ['of a hasher that Argon2id takes over', argon2idHasher({ previous: cheapHasher() }), cheapHasher()],
  ])('logs nothing about a hash %s', async (_of, hasher, before = hasher) => {
    const hash = await before.hash(password);
    const { outcome, errors } = await signIn(hasher, hash, 'another battery of a horse');
    expect([outcome, errors]).toEqual(['invalid_credentials', []]);
  });

  it('does not happen for a hash of bcrypt if the hasher is Argon2id alone', async () => {
    const hash = await bcryptHasher().hash(password);
    const { outcome, errors } = await signIn(argon2idHasher({ previous: null }), hash, password);
    expect([outcome, errors]).toEqual(['ok', []]);
  });
});
