/** The rules for new passwords, and the hashes of those that an administrator sets, as configured in `providers.emailPassword`. */
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { PasswordRules, type PasswordOwner, type PasswordRulesOptions } from '../passwords/password-rules.js';
import type { Logger } from '../support/logger.js';
import type { PasswordHasher } from './password-hasher.js';
import { PasswordVerifier } from './password-verifier.js';

export class NewPasswords {
  private readonly configured: { rules: PasswordRules; verifier: PasswordVerifier } | undefined;

  constructor(
    options: (PasswordRulesOptions & { hasher: PasswordHasher }) | undefined,
    appName: string,
    logger: Logger,
  ) {
    this.configured = options && {
      rules: new PasswordRules(options, appName, logger),
      // Not the queue of sign-ins: a flood of them must not delay an administrator.
      verifier: new PasswordVerifier(options.hasher),
    };
  }

  /** @throws ProviderNotConfiguredError without `providers.emailPassword`. */
  get rules(): PasswordRules {
    return this.required().rules;
  }

  /**
   * Checks and hashes a password.
   * @throws ProviderNotConfiguredError without `providers.emailPassword`; InvalidRequestError,
   * WeakPasswordError.
   */
  async hash(password: string, owner: PasswordOwner): Promise<string> {
    const { rules, verifier } = this.required();
    await rules.check(password, owner);
    return verifier.hashPassword(password, undefined);
  }

  private required() {
    if (!this.configured) throw new ProviderNotConfiguredError('emailPassword');
    return this.configured;
  }
}
