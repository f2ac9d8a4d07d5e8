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
  countSignIns(telemetry, signIn);
  measureChecks(telemetry, checks);
  countRefusals(telemetry, limiter);
  traceMails(telemetry, mailer, smsMailer);
  telemetry.watchQueues(() => background.lengths());
}

function countSignIns(telemetry: Telemetry, signIn: SignIn): void {
  const { completeSignIn, completeTwoFactors, failed } = signIn;
  const count = (method: string, outcome: string, error?: string) =>
    telemetry.count('sign_ins', {
      'svc_auth.method': method,
      'svc_auth.outcome': outcome,
      ...(error !== undefined && { 'error.type': error }),
    });
  const counted = async (method: string, work: Promise<SignInResult>) => {
    const result = await work;
    count(result.method ?? method, result.pending ? 'second_factor_required' : 'success');
    return result;
  };
  signIn.completeSignIn = (...args) => counted(args[0], completeSignIn.apply(signIn, args));
  signIn.completeTwoFactors = (...args) => counted(args[0], completeTwoFactors.apply(signIn, args));
  signIn.failed = (method, subject, error, context) => {
    count(method, 'failure', error.code);
    return failed.call(signIn, method, subject, error, context) as typeof error;
  };
}

function measureChecks(telemetry: Telemetry, checks: SessionChecks): void {
  const { authenticate, check } = checks;
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
  checks.authenticate = (token) => measured(() => authenticate.call(checks, token));
  checks.check = (token) => measured(() => check.call(checks, token));
}

function countRefusals(telemetry: Telemetry, limiter: Limiter): void {
  const { consume, consumeAndFindUser } = limiter;
  const counted = async <T>(limits: Parameters<Limiter['consume']>[0], work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RateLimitError)
        for (const limit of limits)
          if (limiter.hasRefused([limit]))
            telemetry.count('limits.refused', { 'svc_auth.limit': limit.name });
      throw error;
    }
  };
  limiter.consume = (limits) => counted(limits, consume.call(limiter, limits));
  limiter.consumeAndFindUser = (limits, email) =>
    counted(limits, consumeAndFindUser.call(limiter, limits, email));
}

function traceMails(telemetry: Telemetry, mailer: Mailer, smsMailer: SmsMailer): void {
  const { sendMail } = mailer;
  const { sendSms } = smsMailer;
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
      telemetry.count(name, { ...attributes, 'svc_auth.outcome': outcome });
    }
  };
  mailer.sendMail = (kind, ...rest) => {
    const attributes = { 'svc_auth.mail.kind': kind };
    const send = () => counted('mails', attributes, sendMail.call(mailer, kind, ...rest));
    return telemetry.span('mail.send', { kind: 'client', attributes }, send);
  };
  smsMailer.sendSms = (...args) =>
    telemetry.span('text_message.send', { kind: 'client' }, () =>
      counted('text_messages', {}, sendSms.apply(smsMailer, args)),
    );
}
