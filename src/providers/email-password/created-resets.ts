/** Reset links for an application that mails them itself. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { resetBinding } from '../../core/mail/reset-links.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import { parseInput } from '../../core/support/input.js';
import { withToken } from '../../core/support/link-targets.js';
import { requestResetInput, type EmailPasswordOptions, type EmailPasswordTools } from './options.js';
import { resetTtlMs } from './reset-mails.js';

/** A link with which the owner of the mailbox sets a new password. Anyone who reads it can take over the account. */
export interface CreatedReset {
  /** For `setPassword`. It works once. */
  token: string;
  /** The page of the application with the token as its parameter. */
  url: string;
  expiresAt: Date;
}

/**
 * Creates what the mailed reset contains: the same token, bound to the same state of the account, under the same limits.
 * @returns null if the address has no account. That costs as much of the limits.
 */
export async function createReset(
  input: unknown,
  context: RequestContext,
  { resetUrl }: EmailPasswordOptions,
  { accountLimits, legacyUsers, limiter, linkTargets, logger, mailedTokens, storage }: EmailPasswordTools,
): Promise<CreatedReset | null> {
  const { email: address, redirectTo } = parseInput(requestResetInput, input);
  context = parseContext(context);
  const target = redirectTo === undefined ? resetUrl : linkTargets.check(redirectTo);
  if (target === undefined) throw new ProviderNotConfiguredError('emailPassword.resetUrl');
  const email = parseEmailAddress(address);
  const spent = await limiter.consume(await accountLimits.forMail('password_reset', email, context));
  try {
    const find = () => storage.users.findByEmail(email);
    const user = (await find()) ?? ((await legacyUsers.bring({ email })) ? await find() : null);
    if (!user) return null;
    const binding = resetBinding(user, email);
    const { token, expiresAt } = await mailedTokens.issueToken('password_reset', email, resetTtlMs, binding);
    logger.info(
      { event: 'password_reset_created', userId: user.id, ip: context.ip },
      'a reset link was created',
    );
    return { token, url: withToken(target, token), expiresAt };
  } catch (error) {
    await spent.refund();
    throw error;
  }
}
