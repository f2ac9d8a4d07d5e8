/** Checks new passwords: their form, lists of common and breached ones, what the account is called, and the application's own check. */
import * as z from 'zod';
import { ConfigError, InternalError, WeakPasswordError } from '../../errors/catalog.js';
import type { Logger } from '../support/logger.js';
import { checkByApplication, checkPasswordForm, type PasswordPolicy } from './password-policy.js';
import { BreachedPasswords, type breachedPasswordsOptions } from './breached-passwords.js';
import { filterInFile, packagedFilter, type PasswordFilter } from './password-filter.js';
import { consistsOfWords, wordsOfAddress } from './personal-words.js';

export const commonPasswordsOption = z.union([
  z.boolean(),
  z.strictObject({
    file: z.string().min(1).describe('A filter, which is asked in addition to the list of the package.'),
  }),
]);

export interface PasswordRulesOptions extends PasswordPolicy {
  commonPasswords?: z.output<typeof commonPasswordsOption>;
  breachedPasswords?: false | z.output<typeof breachedPasswordsOptions>;
}

/** Whose password it will be. */
export interface PasswordOwner {
  email: string | null;
  username?: string | null;
}

export class PasswordRules {
  private readonly filters: readonly PasswordFilter[];
  private readonly breached: BreachedPasswords | undefined;

  constructor(
    private readonly options: PasswordRulesOptions,
    private readonly appName: string,
    logger: Logger,
  ) {
    const { commonPasswords = true, breachedPasswords = false } = options;
    this.filters = commonPasswords === false ? [] : [packagedFilter(), ...filesOf(commonPasswords)];
    this.breached =
      breachedPasswords === false ? undefined : new BreachedPasswords(breachedPasswords, logger);
  }

  /** Whether passwords are compared with lists and with the names of the account. */
  get comparesNames(): boolean {
    return this.filters.length > 0;
  }

  /** @throws ConfigError if the file of `commonPasswords` cannot be used. Called by `service.init()`. */
  async prepare(): Promise<void> {
    const [, file] = this.filters;
    await file?.check().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : 'The file cannot be read.';
      throw new ConfigError([{ path: 'providers.emailPassword.commonPasswords.file', message }]);
    });
  }

  /**
   * Checks the form of a new password, and then its content.
   * @throws InvalidRequestError if the password is over 1024 bytes (reason `tooLong`), or contains U+0000 or a lone
   * surrogate; WeakPasswordError if it is too short or refused, with the reason.
   */
  async check(password: string, owner: PasswordOwner): Promise<void> {
    this.checkForm(password);
    await this.checkContent(password, owner);
  }

  /** Checks the length and the characters. @throws InvalidRequestError; WeakPasswordError. */
  checkForm(password: string): void {
    checkPasswordForm(password, this.options);
  }

  /** Checks what the password consists of. May ask the application and another server. @throws WeakPasswordError with the reason. */
  async checkContent(password: string, owner: PasswordOwner): Promise<void> {
    if (this.comparesNames) this.checkNames(password, owner);
    for (const filter of this.filters) {
      if (await contains(filter, password)) throw new WeakPasswordError({ reason: 'common' });
    }
    await checkByApplication(password, owner.email, this.options);
    if (await this.breached?.contains(password)) throw new WeakPasswordError({ reason: 'breached' });
  }

  private checkNames(password: string, { email, username }: PasswordOwner): void {
    const ofAddress = wordsOfAddress(email);
    if (consistsOfWords(password, ofAddress)) throw new WeakPasswordError({ reason: 'containsEmail' });
    if (consistsOfWords(password, [...ofAddress, username, this.appName]))
      throw new WeakPasswordError({ reason: 'containsName' });
  }
}

function filesOf(option: true | { file: string }): PasswordFilter[] {
  return option === true ? [] : [filterInFile(option.file)];
}

async function contains(filter: PasswordFilter, password: string): Promise<boolean> {
  try {
    return await filter.contains(password);
  } catch (cause) {
    // Not accepted without the check: the file was replaced by something else after the start.
    throw new InternalError(cause, 'A password filter could not be read.');
  }
}
