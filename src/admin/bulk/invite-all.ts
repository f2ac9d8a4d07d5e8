/** Invites the addresses of a list one after another, so that the list can be sent again at any time. */
import type { UserRecord } from '../../domain/user-record.js';
import { isServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { internals } from '../../core/internals.js';
import { inviteTurn, wasInvited } from '../../core/limits/mailed-invites.js';
import { describeError } from '../../core/support/logger.js';
import type { Call } from '../page.js';
import type { AdminTexts } from '../texts/texts.js';
import type { ListedAddress } from './address-list.js';

export type InviteOutcome = keyof AdminTexts['operations']['inviteList']['outcomes'];

/** Errors about one address. Any other one would be that of the next addresses too. */
const ofOneAddress: ReadonlySet<ServiceErrorCode> = new Set([
  'email_exists',
  'email_send_failed',
  'rate_limit_exceeded',
  'user_blocked',
]);

/** Errors of the form. */
const ofForm: ReadonlySet<ServiceErrorCode> = new Set(['invalid_request', 'provider_not_configured']);

/**
 * Returns what has happened to each address. After an error that is not about one address, such as one of the database, the rest is
 * `notDone`.
 * @throws an error about the form, such as a malformed role, if it refuses the first invitation.
 */
export async function inviteAll(
  call: Call,
  lines: readonly ListedAddress[],
  roles: string[],
): Promise<[ListedAddress, InviteOutcome][]> {
  const results: [ListedAddress, InviteOutcome][] = [];
  let isStopped = false;
  let isFirst = true;
  for (const line of lines) {
    if (line.email === null) results.push([line, 'invalid']);
    else if (line.isRepeated) results.push([line, 'repeated']);
    else if (isStopped) results.push([line, 'notDone']);
    else {
      try {
        const outcome = await invite(call, line.email, roles);
        results.push([line, outcome]);
        if (outcome === 'invited') isFirst = false;
      } catch (error) {
        const code = isServiceError(error) ? error.code : null;
        if (isFirst && code !== null && ofForm.has(code)) throw error;
        call.service[internals].logger.error(
          { event: 'invite_failed', err: describeError(error) },
          'an invitation of a list could not be sent',
        );
        isStopped = code === null || !ofOneAddress.has(code);
        results.push([line, 'failed']);
      }
    }
  }
  return results;
}

/** Invites a new address, or one whose account no one has used and which has no invitation: a mail that failed can be sent again. */
async function invite({ by, service }: Call, email: string, roles: string[]): Promise<InviteOutcome> {
  const { limiter } = service[internals];
  const turn = await inviteTurn(limiter, email);
  // The same list is being sent by another request.
  if (turn === null) return 'failed';
  try {
    const user = await service.users.find({ email });
    if (user && (isUsed(user) || (await wasInvited(limiter, email)))) return 'exists';
    await service.users.invite({ email, roles }, by);
    return 'invited';
  } catch (error) {
    const isTaken = isServiceError(error) && (error.code === 'email_exists' || error.code === 'user_blocked');
    if (isTaken) return 'exists';
    throw error;
  } finally {
    await turn.refund();
  }
}

const isUsed = ({ blocked, emailVerified, hasPassword, isGuest, lastSignInAt }: UserRecord): boolean =>
  blocked !== null || emailVerified || hasPassword || isGuest || lastSignInAt !== null;
