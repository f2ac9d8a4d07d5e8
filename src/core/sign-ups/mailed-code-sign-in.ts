/** The sign-in with a code from a mail, whichever provider has mailed it. */
import type { ServiceError } from '../../errors/service-error.js';
import type { RequestContext } from '../sessions/request-context.js';
import type { SignInResult } from '../sessions/sign-in-result.js';
import type { AccountLimits } from '../limits/account-limits.js';
import type { OneTimeCodes } from '../mail/one-time-codes.js';
import type { SignIn } from '../sessions/sign-in.js';
import type { MailboxProof } from './mailbox-proof.js';

interface Tools {
  accountLimits: AccountLimits;
  codes: OneTimeCodes;
  mailboxProof: MailboxProof;
  signIn: SignIn;
}

/**
 * Signs the owner of the mailbox in, and consumes the code. The codes of all methods share their limits: an attacker must not get twice as
 * many guesses at one mailbox.
 * @param method also the purpose of the code.
 * @throws RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError; SignUpDisabledError if the address has
 * no account and may not sign up.
 */
export function signInWithMailedCode(
  { accountLimits, codes, mailboxProof, signIn }: Tools,
  method: 'email_code' | 'magic_link',
  { email, code }: { email: string; code: string },
  context: RequestContext,
): Promise<SignInResult> {
  const attempt = { method, subject: email, context };
  return signIn.attempts.run(attempt, async () => {
    const rateLimits = await accountLimits.forMailedCode('email_code', email, code, context);
    const resets = accountLimits.ofProvenMailbox(email, context);
    const { metadata, owner, ownerAtProof } = await codes
      .redeemCode(method, email, code, context.ip, { rateLimits, resets, owner: email })
      .catch((error: ServiceError) => Promise.reject(signIn.failed(attempt, error)));
    return mailboxProof.signInWithProof(email, { method, metadata }, context, {
      before: owner,
      atProof: ownerAtProof,
    });
  });
}
