/** Hashes passwords that an administrator sets, by the rules of `providers.emailPassword`. */
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { PasswordVerifier, type PasswordHasher } from './password-hasher.js';
import { checkNewPassword, type PasswordPolicy } from './password-policy.js';

export class NewPasswords {
  /** Not the queue of sign-ins: a flood of them must not delay an administrator. */
  private readonly verifier: PasswordVerifier | undefined;

  constructor(private readonly options: (PasswordPolicy & { hasher: PasswordHasher }) | undefined) {
    this.verifier = options && new PasswordVerifier(options.hasher);
  }

  /**
   * Checks and hashes a password.
   * @throws ProviderNotConfiguredError without `providers.emailPassword`; InvalidRequestError,
   * WeakPasswordError.
   */
  async hash(password: string, email: string | null): Promise<string> {
    if (!this.options || !this.verifier) throw new ProviderNotConfiguredError('emailPassword');
    await checkNewPassword(password, email, this.options);
    return this.verifier.hashPassword(password, undefined);
  }
}
