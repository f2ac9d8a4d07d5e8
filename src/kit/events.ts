/** What happens in the engine, told to the application (Pro): after it is committed, by ids, to handlers that cannot harm. */
import { clearTimeout, setTimeout } from 'node:timers';
import type { CodePurpose } from '../domain/one-time-code.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { describeError, type Logger } from './logger.js';

/** Every event and its payload. Payloads name users, sessions, keys and organisations by id, and hold no secret. */
export interface ServiceEvents {
  'user.created': { userId: string; method: string };
  /** The first proof of its mailbox took over an unverified account: what was set before it is gone. */
  'user.claimed': { userId: string };
  /** A guest became a real user. */
  'user.upgraded': { userId: string };
  'user.deleted': { userId: string };
  'session.created': { userId: string; sessionId: string };
  'session.revoked': { userId: string; sessionId: string };
  /** Every session and token of the user ended at once. */
  'session.all_revoked': { userId: string };
  'session.impersonated': { adminUserId: string; userId: string; reason: string | null };
  'code.sent': { purpose: CodePurpose };
  'link.sent': { purpose: 'magic_link' | 'password_reset' };
  /** A passwordless account got its first password. */
  'password.added': { userId: string };
  /** The user set another one, with the one before it. */
  'password.changed': { userId: string };
  'password.reset': { userId: string };
  /** The account has another address, proven at both. */
  'email.changed': { userId: string };
  'identity.linked': { userId: string; provider: string };
  'identity.unlinked': { userId: string; provider: string };
  'totp.enabled': { userId: string };
  'totp.disabled': { userId: string };
  'totp.recovery_codes_replaced': { userId: string };
  'totp.recovery_code_used': { userId: string };
  'passkey.registered': { userId: string; credentialId: string };
  'passkey.removed': { userId: string; credentialId: string };
  /** A signature counter went back: somebody may hold a copy of the key. The sign-in was refused. */
  'passkey.counter_regressed': { userId: string; credentialId: string };
  'refresh.issued': { userId: string; familyId: string };
  'refresh.revoked': { userId: string; familyId: string };
  'refresh.all_revoked': { userId: string };
  /** A token that was used before came back: the family is revoked. */
  'refresh.reuse_detected': { userId: string; familyId: string };
  'api_key.created': { apiKeyId: string; userId: string | null; orgId: string | null };
  'api_key.revoked': { apiKeyId: string; userId: string | null; orgId: string | null };
  'org.created': { orgId: string; userId: string };
  'org.deleted': { orgId: string };
  'org.invited': { orgId: string; inviteId: string };
  'org.invite_revoked': { orgId: string; inviteId: string };
  'org.member_added': { orgId: string; userId: string; role: string };
  'org.role_changed': { orgId: string; userId: string; role: string };
  'org.member_removed': { orgId: string; userId: string };
}

export type ServiceEventName = keyof ServiceEvents;
export type EventHandler<Name extends ServiceEventName> = (payload: Readonly<ServiceEvents[Name]>) => unknown;
/** Any of the payloads. */
export type AnyPayload = Readonly<ServiceEvents[ServiceEventName]>;
export type AnyEventHandler = (name: ServiceEventName, payload: AnyPayload) => unknown;

/** Every name, for a check of what a handler asks for; the type says that none is missing. */
const names: Readonly<Record<ServiceEventName, true>> = {
  'user.created': true,
  'user.claimed': true,
  'user.upgraded': true,
  'user.deleted': true,
  'session.created': true,
  'session.revoked': true,
  'session.all_revoked': true,
  'session.impersonated': true,
  'code.sent': true,
  'link.sent': true,
  'password.added': true,
  'password.changed': true,
  'password.reset': true,
  'email.changed': true,
  'identity.linked': true,
  'identity.unlinked': true,
  'totp.enabled': true,
  'totp.disabled': true,
  'totp.recovery_codes_replaced': true,
  'totp.recovery_code_used': true,
  'passkey.registered': true,
  'passkey.removed': true,
  'passkey.counter_regressed': true,
  'refresh.issued': true,
  'refresh.revoked': true,
  'refresh.all_revoked': true,
  'refresh.reuse_detected': true,
  'api_key.created': true,
  'api_key.revoked': true,
  'org.created': true,
  'org.deleted': true,
  'org.invited': true,
  'org.invite_revoked': true,
  'org.member_added': true,
  'org.role_changed': true,
  'org.member_removed': true,
};

export class EventBus {
  private readonly handlers = new Map<string, Set<AnyEventHandler>>();

  constructor(
    private readonly logger: Logger,
    private readonly patienceMs = 30_000,
  ) {}

  /** @returns a function that ends the subscription. @throws InvalidRequestError for an unknown name. */
  on(event: ServiceEventName | '*', handler: (...args: never[]) => unknown): () => void {
    if (event !== '*' && !Object.hasOwn(names, event)) {
      throw new InvalidRequestError(
        `There is no such event. Known are ${Object.keys(names).join(', ')} and *.`,
      );
    }
    if (typeof handler !== 'function') throw new InvalidRequestError('handler must be a function.');
    const call = handler as (...args: unknown[]) => unknown;
    // A wrapper of its own per subscription: the same handler may subscribe twice, and unsubscribe one at a time.
    const subscription: AnyEventHandler =
      event === '*' ? (...args) => call(...args) : (_name, payload) => call(payload);
    const subscriptions = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, subscriptions.add(subscription));
    return () => void subscriptions.delete(subscription);
  }

  /** Call after the change is committed. Returns at once; what a handler does, or fails to do, changes nothing. */
  emit<Name extends ServiceEventName>(name: Name, payload: ServiceEvents[Name]): void {
    for (const handler of [...(this.handlers.get(name) ?? []), ...(this.handlers.get('*') ?? [])]) {
      queueMicrotask(() => void this.call(handler, name, Object.freeze({ ...payload }) as AnyPayload));
    }
  }

  private async call(handler: AnyEventHandler, name: ServiceEventName, payload: AnyPayload) {
    let impatient: NodeJS.Timeout | undefined;
    try {
      impatient = setTimeout(
        () => this.logger.warn({ event: name }, 'an event handler has not finished in half a minute'),
        this.patienceMs,
      );
      // A handler that hangs must not keep the process alive either.
      impatient.unref();
      await handler(name, payload);
    } catch (error) {
      this.logger.error({ event: name, err: describeError(error) }, 'an event handler failed');
    } finally {
      clearTimeout(impatient);
    }
  }
}
