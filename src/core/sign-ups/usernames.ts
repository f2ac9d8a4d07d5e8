/** The rules of the application for user names, in addition to their form (src/domain/username.ts). */
import * as z from 'zod';
import { imitationOf } from '../../domain/imitations.js';
import { parseUsername, refusedUsername, usernameKey, type Username } from '../../domain/username.js';
import type { StoredUser } from '../../domain/user.js';
import { lazily } from '../../runtime/load.js';
import { InvalidRequestError, ProviderNotConfiguredError } from '../../errors/catalog.js';
import type { RateLimit } from '../limits/rate-limits.js';
import { day } from '../limits/rate-limits.js';
import { durationMs } from '../support/option-types.js';

export const usernamesOptions = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Whether users choose user names and sign in with them. Administrators can always set them.'),
    signUpWithoutEmail: z
      .boolean()
      .default(false)
      .describe(
        'Whether a sign-up with a password and a user name may omit the address. No mail can reset the password of [such an account](users.md#accounts-without-an-address). Requires `enabled`.',
      ),
    pattern: z
      .instanceof(RegExp)
      .optional()
      .describe('What a user name must match, in addition to the [form of user names](users.md#user-names).'),
    reserved: z
      .array(z.string())
      .default([])
      .describe(
        'Names that no user may have, in addition to the built-in ones, without regard to case, nor names that look like them.',
      ),
    changes: z
      .strictObject({
        max: z.number().int().min(1).default(3).describe('Maximum changes by a user in a window.'),
        windowMs: durationMs()
          .default(30 * day)
          .describe('Length of the window in milliseconds.'),
      })
      .prefault({})
      .describe('How often users change their own user names.'),
  })
  .refine(({ enabled, signUpWithoutEmail }) => enabled || !signUpWithoutEmail, {
    path: ['signUpWithoutEmail'],
    message: 'requires `usernames.enabled`: users sign in by their user names',
  });

/** Returns the error for a user name that another user has. */
export function usernameTaken(): InvalidRequestError {
  return new InvalidRequestError('username is taken.', { field: 'username', reason: 'username_taken' });
}

export class Usernames {
  private readonly isReserved = lazily(() => imitationOf(this.options.reserved.map(usernameKey)));

  constructor(private readonly options: z.output<typeof usernamesOptions>) {}

  /** Whether users choose user names. */
  get isEnabled(): boolean {
    return this.options.enabled;
  }

  /** Whether a sign-up with a user name may omit the address. */
  get replaceAddresses(): boolean {
    return this.options.signUpWithoutEmail;
  }

  /** @throws ProviderNotConfiguredError unless users may choose user names. */
  assertEnabled(): void {
    if (!this.options.enabled) throw new ProviderNotConfiguredError('usernames');
  }

  /** @throws InvalidRequestError with the reason `username_invalid` or `username_reserved`. */
  parse(input: unknown): Username {
    const username = parseUsername(input);
    const { pattern } = this.options;
    // `search` and not `test`, which would continue after the previous match of a global pattern.
    if (pattern && username.name.search(pattern) === -1)
      throw refusedUsername(
        'username does not have the form that this application requires',
        'username_invalid',
      );
    if (this.isReserved()(username.name, username.key))
      throw refusedUsername('username is reserved', 'username_reserved');
    return username;
  }

  /**
   * Changes before the address is verified do not count afterwards: they may be those of a stranger, and would leave the owner of the
   * mailbox with the stranger's user name.
   */
  changeLimits({ id, emailVerified }: Pick<StoredUser, 'id' | 'emailVerified'>): RateLimit[] {
    return [
      { name: emailVerified ? 'username' : 'username-unverified', subject: id, ...this.options.changes },
    ];
  }
}
