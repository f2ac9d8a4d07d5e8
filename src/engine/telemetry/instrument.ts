/**
 * Records what the tools of a service do, by replacing their methods. Without the option `telemetry` nothing is replaced, so that nothing is
 * spent.
 */
import { performance } from 'node:perf_hooks';
import type { Limiter } from '../../core/limits/limiter.js';
import type { Mailer } from '../../core/mail/mailer.js';
import type { SmsMailer } from '../../core/mail/sms-mailer.js';
import type { BackgroundWork } from '../../core/queues/background-work.js';
import type { SessionChecks } from '../../core/sessions/session-checks.js';
import type { SignIn } from '../../core/sessions/sign-in.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { Telemetry } from '../../core/support/telemetry.js';
import { RateLimitError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';

interface Instrumented {
  background: BackgroundWork;
  checks: SessionChecks;
  limiter: Limiter;
  mailer: Mailer;
  signIn: SignIn;
  smsMailer: SmsMailer;
}

export function instrument(
  telemetry: Telemetry,
  { background, checks, limiter, mailer, signIn, smsMailer }: Instrumented,
): void {
  const count: Count = (name, attributes) => telemetry.count(name, attributes);
  countSignIns(count, signIn);
  measureChecks(telemetry, checks);
  countRefusals(count, limiter);
  countMails(count, mailer, smsMailer);
  traceMails(telemetry, mailer, smsMailer);
  telemetry.watchQueues(() => background.lengths());
}

/** Receives what is counted: for telemetry, and for the option `statistics`. */
export type Count = Telemetry['count'];

export function countSignIns(record: Count, signIn: SignIn): void {
  const completeSignIn = signIn.completeSignIn.bind(signIn);
  const completeTwoFactors = signIn.completeTwoFactors.bind(signIn);
  const failed = signIn.failed.bind(signIn);
  const count = (method: string, outcome: string, error?: string) =>
    record('sign_ins', {
      'svc_auth.method': method,
      'svc_auth.outcome': outcome,
      ...(error !== undefined && { 'error.type': error }),
    });
  const counted = async (method: string, work: Promise<SignInResult>) => {
    const result = await work;
    count(result.method ?? method, result.pending ? 'second_factor_required' : 'success');
    return result;
  };
  signIn.completeSignIn = (...args) => counted(args[0], completeSignIn(...args));
  signIn.completeTwoFactors = (...args) => counted(args[0], completeTwoFactors(...args));
  signIn.failed = (attempt, error) => {
    count(attempt.method, 'failure', error.code);
    return failed(attempt, error);
  };
}

function measureChecks(telemetry: Telemetry, checks: SessionChecks): void {
  const authenticate = checks.authenticate.bind(checks);
  const check = checks.check.bind(checks);
  const measured = async <T>(work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    let outcome = 'error';
    try {
      const result = await work();
      outcome = 'valid';
      return result;
    } catch (error) {
      if (isServiceError(error) && error.code === 'token_invalid') outcome = 'invalid';
      throw error;
    } finally {
      telemetry.duration('session.check.duration', start, { 'svc_auth.outcome': outcome });
    }
  };
  checks.authenticate = (token) => measured(() => authenticate(token));
  checks.check = (token) => measured(() => check(token));
}

export function countRefusals(record: Count, limiter: Limiter): void {
  const consume = limiter.consume.bind(limiter);
  const consumeAndFindUser = limiter.consumeAndFindUser.bind(limiter);
  const counted = async <T>(limits: Parameters<Limiter['consume']>[0], work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RateLimitError)
        for (const limit of limits)
          if (limiter.hasRefused([limit])) record('limits.refused', { 'svc_auth.limit': limit.name });
      throw error;
    }
  };
  limiter.consume = (limits) => counted(limits, consume(limits));
  limiter.consumeAndFindUser = (limits, email) => counted(limits, consumeAndFindUser(limits, email));
}

export function countMails(record: Count, mailer: Mailer, smsMailer: SmsMailer): void {
  const sendMail = mailer.sendMail.bind(mailer);
  const sendSms = smsMailer.sendSms.bind(smsMailer);
  const counted = async (
    name: 'mails' | 'text_messages',
    attributes: Record<string, string>,
    work: Promise<void>,
  ) => {
    let outcome = 'failed';
    try {
      await work;
      outcome = 'sent';
    } finally {
      record(name, { ...attributes, 'svc_auth.outcome': outcome });
    }
  };
  mailer.sendMail = (kind, ...rest) =>
    counted('mails', { 'svc_auth.mail.kind': kind }, sendMail(kind, ...rest));
  smsMailer.sendSms = (...args) => counted('text_messages', {}, sendSms(...args));
}

function traceMails(telemetry: Telemetry, mailer: Mailer, smsMailer: SmsMailer): void {
  const sendMail = mailer.sendMail.bind(mailer);
  const sendSms = smsMailer.sendSms.bind(smsMailer);
  mailer.sendMail = (kind, ...rest) => {
    const attributes = { 'svc_auth.mail.kind': kind };
    return telemetry.span('mail.send', { kind: 'client', attributes }, () => sendMail(kind, ...rest));
  };
  smsMailer.sendSms = (...args) =>
    telemetry.span('text_message.send', { kind: 'client' }, () => sendSms(...args));
}
