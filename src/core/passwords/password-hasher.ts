/** What a service needs of a password hasher: bcrypt, Argon2id, or one of the application. */

export interface PasswordHasher {
  hash(plain: string): Promise<string>;
  /**
   * Returns whether a password matches a hash. For a wrong password, it must take as long for every stored hash as for a new one;
   * otherwise the response time reveals accounts.
   */
  verify(plain: string, hash: string): Promise<boolean>;
  /** Returns true if a stored hash is outdated: it is replaced at the next sign-in with the right password. */
  needsRehash?(hash: string): boolean;
  /** Returns false if a stored hash has a format that `verify` never matches: a failed sign-in then logs an error. */
  recognizes?(hash: string): boolean;
}
