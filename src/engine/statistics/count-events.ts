/** Where the numbers of the option `statistics` come from. Without it, nothing is subscribed to and no method is replaced. */
import type { Limiter } from '../../core/limits/limiter.js';
import type { Mailer } from '../../core/mail/mailer.js';
import type { SmsMailer } from '../../core/mail/sms-mailer.js';
import type { SignIn } from '../../core/sessions/sign-in.js';
import type { Sessions } from '../../core/sessions/sessions.js';
import type { EventBus } from '../../core/support/events.js';
import type { Statistics } from '../../core/support/statistics.js';
import { countMails, countRefusals, countSignIns, type Count } from '../telemetry/instrument.js';

interface Counted {
  events: EventBus;
  limiter: Limiter;
  mailer: Mailer;
  sessions: Sessions;
  signIn: SignIn;
  smsMailer: SmsMailer;
}

/** Counts what the tools do. Neither an address nor an id is passed on, except the ids of active users. */
export function countEvents(
  statistics: Statistics,
  { events, limiter, mailer, sessions, signIn, smsMailer }: Counted,
): void {
  const count: Count = (name, attributes) => {
    const outcome = String(attributes['svc_auth.outcome']);
    if (name === 'limits.refused') return statistics.count('limits', String(attributes['svc_auth.limit']));
    if (name !== 'sign_ins') return statistics.count(name, outcome);
    if (outcome === 'success') statistics.count('sign_ins', String(attributes['svc_auth.method']));
    if (outcome === 'failure') statistics.count('failed_sign_ins', String(attributes['error.type']));
  };
  countSignIns(count, signIn);
  countRefusals(count, limiter);
  countMails(count, mailer, smsMailer);
  events.on('user.created', ({ method }) => statistics.count('sign_ups', method));
  events.on('session.created', ({ userId }) => statistics.seen(userId));
  events.on('refresh.issued', ({ userId }) => statistics.seen(userId));
  sessions.seen = (userId) => statistics.seen(userId);
}
