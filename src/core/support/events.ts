/** Reports events of the engine to the application (Pro), after the change is committed. A failing handler has no effect on the engine. */
import { clearTimeout, setTimeout } from 'node:timers';
import type { PersonProfile } from '../../domain/identity.js';
import type { TokenActor } from '../../domain/oauth-server.js';
import type { CodePurpose } from '../../domain/one-time-code.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { describeError, type Logger } from './logger.js';

/** Who made a change: a user of the application, or the application itself. `id` is chosen by the application. */
export interface EventActor {
  type: 'user' | 'system';
  id?: string;
}

/** What a code of a second factor is for: a sign-in or a check, or the confirmation of a new authenticator app. */
export type SecondFactorCode = 'totp' | 'totp-confirm';

/**
 * Every event and its payload. Payloads identify users, sessions, keys and organizations by id, and contain no secrets. `actor` is present
 * if an administrator made the change.
 */
export interface ServiceEvents {
  /**
   * `actor` is present if the user was created by `users.create` or `users.invite`, `profile` if an identity provider described the
   * user: personal data, which no other event contains.
   */
  'user.created': { userId: string; method: string; actor?: EventActor; profile?: PersonProfile };
  /** The owner of a mailbox claimed an unverified account: everything that was set before the claim was removed. */
  'user.claimed': { userId: string };
  /** A guest became a full user. */
  'user.upgraded': { userId: string };
  'user.deleted': { userId: string; actor?: EventActor };
  /** `fields` are the names of the changed fields. A new address also ended every session. */
  'user.updated': { userId: string; fields: readonly string[]; actor: EventActor };
  /** Every session and refresh family of the user ended. */
  'user.blocked': { userId: string; actor: EventActor };
  'user.unblocked': { userId: string; actor: EventActor };
  /** A batch of an import was stored. No other event of these users is emitted, except `user.claimed`. */
  'users.imported': {
    created: readonly string[];
    merged: readonly string[];
    renewed: readonly string[];
  };
  /** An invite was mailed to the user. */
  'user.invited': { userId: string; actor: EventActor };
  /** A sign-in has failed. `userId` is known if the proof so far names the user. `reason` is one of docs/reasons.md. */
  'sign_in.failed': { method: string; reason: string; userId?: string };
  /** A one-time code, a code of an authenticator app or a recovery code was refused. */
  'code.failed': { purpose: CodePurpose | SecondFactorCode; reason: string; userId?: string };
  /** An attempt was refused by a limit. `limit` is its name, with what it counts. */
  'limit.exceeded': { limit: string };
  /** A request presented an authentic token after its session had ended. At most once per session and minute in a process. */
  'session.refused': { userId: string; sessionId?: string; reason: string };
  /** `method` is that of the sign-in. Absent if the session replaces another one, or if the application has created it. */
  'session.created': { userId: string; sessionId: string; method?: string };
  /** The browser has registered a key: from now on, nothing but a proof of it continues the session. */
  'session.bound': { userId: string; sessionId: string };
  'session.revoked': { userId: string; sessionId: string; actor?: EventActor };
  /** Every session and token of the user was revoked. */
  'session.all_revoked': { userId: string; actor?: EventActor };
  /** The sessions of all users ended; with `orgId`, those of an organization's members; with `userId`, those of a user. No event for each. */
  'lockdown.started': { orgId: string | null; userId: string | null; actor: EventActor };
  'session.impersonated': { adminUserId: string; userId: string; reason: string | null };
  'code.sent': { purpose: CodePurpose };
  'link.sent': { purpose: 'magic_link' | 'password_reset' };
  /** A passwordless account received its first password. */
  'password.added': { userId: string };
  /** The user changed the password with the previous one. */
  'password.changed': { userId: string };
  'password.reset': { userId: string };
  /** An administrator set the password. Every session ended. */
  'password.set': { userId: string; actor: EventActor };
  /**
   * The user has reported a notice with its link: every session, refresh family and trusted browser ended. `next` is `reset` if a
   * password reset was mailed, `sign_in` if the user only has to sign in again, and `address_changed` if the account has another address
   * than the notice was sent to: its owner needs the support.
   */
  'account.secured': { userId: string; next: 'reset' | 'sign_in' | 'address_changed' };
  'username.changed': { userId: string };
  /** The user has changed the name or the picture. */
  'profile.changed': { userId: string };
  /** The account has a new address, confirmed from both addresses. */
  'email.changed': { userId: string };
  /** The user has proven the address of the account, and keeps what it has. */
  'email.verified': { userId: string };
  /** The user has chosen a language, or none. */
  'language.changed': { userId: string };
  'identity.linked': { userId: string; provider: string };
  'identity.unlinked': { userId: string; provider: string; actor?: EventActor };
  'totp.enabled': { userId: string };
  'totp.disabled': { userId: string; actor?: EventActor };
  'totp.recovery_codes_replaced': { userId: string };
  'totp.recovery_code_used': { userId: string };
  /** The user has several authenticator apps. */
  'totp.app_added': { userId: string; appId: string };
  'totp.app_removed': { userId: string; appId: string };
  'totp.app_renamed': { userId: string; appId: string };
  /** The user has chosen what the second step offers first. */
  'second_factor.preferred_changed': { userId: string };
  /** The user can complete sign-ins with a code by email. */
  'second_factor.email_enabled': { userId: string };
  'second_factor.email_disabled': { userId: string };
  /** The user needs no second factor in this browser for some days. Every revocation of all sessions ends it, without an event. */
  'trusted_browser.added': { userId: string; trustedBrowserId: string };
  'trusted_browser.revoked': { userId: string; trustedBrowserId: string; actor?: EventActor };
  'trusted_browser.all_revoked': { userId: string };
  'passkey.registered': { userId: string; credentialId: string };
  'passkey.renamed': { userId: string; credentialId: string };
  'passkey.removed': { userId: string; credentialId: string; actor?: EventActor };
  /** A signature counter decreased: the key may have been cloned. The sign-in was refused. */
  'passkey.counter_regressed': { userId: string; credentialId: string };
  /** `method` is that of the sign-in, if it is a bearer session. `bound` is true if its tokens need proofs of a key of the client (DPoP). */
  'refresh.issued': { userId: string; familyId: string; method?: string; bound?: true };
  'refresh.revoked': { userId: string; familyId: string; actor?: EventActor };
  'refresh.all_revoked': { userId: string };
  /** A refresh token was used again: the family was revoked. */
  'refresh.reuse_detected': { userId: string; familyId: string };
  'api_key.created': { apiKeyId: string; userId: string | null; orgId: string | null };
  'api_key.revoked': { apiKeyId: string; userId: string | null; orgId: string | null; actor?: EventActor };
  /** The user has given a client of the OAuth server access, or has signed in to one that had it. */
  'oauth.access_granted': { userId: string; clientId: string };
  /** The user has removed the access of a client. */
  'oauth.access_removed': { userId: string; clientId: string };
  /**
   * The OAuth server has ended one sign-in of a user to a client: the client has revoked its refresh token, a code or a refresh token was
   * used twice, or the user has more of them than allowed.
   */
  'oauth.grant_ended': {
    userId: string;
    clientId: string;
    grantId: string;
    cause: 'revoked' | 'code_replayed' | 'refresh_reused' | 'limit';
    actor: EventActor;
  };
  /** `audit.anonymize` has removed the origin of the records of the user. `actor` is present if the application has named one. */
  'audit.anonymized': { userId: string; actor?: EventActor };
  'oauth_client.created': { clientId: string; actor: EventActor };
  /** A client has registered itself. */
  'oauth_client.registered': { clientId: string };
  /** `fields` are the names of the changed fields. */
  'oauth_client.updated': { clientId: string; fields: readonly string[]; actor: EventActor };
  'oauth_client.removed': { clientId: string; actor: EventActor };
  'oauth_client.secret_added': { clientId: string; secretId: string; actor: EventActor };
  'oauth_client.secret_removed': { clientId: string; secretId: string; actor: EventActor };
  /** An agent has got a token of the OAuth server to act for the user. `act` names it, and the ones before it. */
  'oauth.token_exchanged': {
    userId: string;
    clientId: string;
    act: TokenActor;
    resource: string;
    scopes: readonly string[];
  };
  'org.created': { orgId: string; userId: string };
  /** `fields` are the names of the changed fields. */
  'org.updated': { orgId: string; fields: readonly string[] };
  'org.deleted': { orgId: string };
  'org.invited': { orgId: string; inviteId: string };
  'org.invite_declined': { orgId: string; inviteId: string; userId: string };
  'org.invite_revoked': { orgId: string; inviteId: string };
  'org.member_added': { orgId: string; userId: string; role: string };
  'org.role_changed': { orgId: string; userId: string; role: string };
  'org.member_removed': { orgId: string; userId: string; actor?: EventActor };
}

export type ServiceEventName = keyof ServiceEvents;
/** An event with its payload, for `emit`. */
export type EmittedEvent<Emitted extends ServiceEventName = ServiceEventName> = {
  [Name in Emitted]: readonly [name: Name, payload: ServiceEvents[Name]];
}[Emitted];
export type EventHandler<Name extends ServiceEventName> = (payload: Readonly<ServiceEvents[Name]>) => unknown;
/** The payload of any event. */
export type AnyPayload = Readonly<ServiceEvents[ServiceEventName]>;
export type AnyEventHandler = (name: ServiceEventName, payload: AnyPayload) => unknown;

/** Every event name, to check subscriptions. The type ensures that none is missing. */
const names: Readonly<Record<ServiceEventName, true>> = {
  'user.created': true,
  'user.claimed': true,
  'user.upgraded': true,
  'user.deleted': true,
  'user.updated': true,
  'user.blocked': true,
  'user.unblocked': true,
  'users.imported': true,
  'user.invited': true,
  'sign_in.failed': true,
  'code.failed': true,
  'limit.exceeded': true,
  'session.refused': true,
  'session.created': true,
  'session.bound': true,
  'session.revoked': true,
  'session.all_revoked': true,
  'lockdown.started': true,
  'session.impersonated': true,
  'code.sent': true,
  'link.sent': true,
  'password.added': true,
  'password.changed': true,
  'password.reset': true,
  'password.set': true,
  'account.secured': true,
  'username.changed': true,
  'profile.changed': true,
  'email.changed': true,
  'email.verified': true,
  'language.changed': true,
  'identity.linked': true,
  'identity.unlinked': true,
  'totp.enabled': true,
  'totp.disabled': true,
  'totp.recovery_codes_replaced': true,
  'totp.recovery_code_used': true,
  'totp.app_added': true,
  'totp.app_removed': true,
  'totp.app_renamed': true,
  'second_factor.preferred_changed': true,
  'second_factor.email_enabled': true,
  'second_factor.email_disabled': true,
  'trusted_browser.added': true,
  'trusted_browser.revoked': true,
  'trusted_browser.all_revoked': true,
  'passkey.registered': true,
  'passkey.renamed': true,
  'passkey.removed': true,
  'passkey.counter_regressed': true,
  'refresh.issued': true,
  'refresh.revoked': true,
  'refresh.all_revoked': true,
  'refresh.reuse_detected': true,
  'api_key.created': true,
  'api_key.revoked': true,
  'oauth.access_granted': true,
  'oauth.access_removed': true,
  'oauth.grant_ended': true,
  'audit.anonymized': true,
  'oauth_client.created': true,
  'oauth_client.registered': true,
  'oauth_client.updated': true,
  'oauth_client.removed': true,
  'oauth_client.secret_added': true,
  'oauth_client.secret_removed': true,
  'oauth.token_exchanged': true,
  'org.created': true,
  'org.updated': true,
  'org.deleted': true,
  'org.invited': true,
  'org.invite_declined': true,
  'org.invite_revoked': true,
  'org.member_added': true,
  'org.role_changed': true,
  'org.member_removed': true,
};

export class EventBus {
  private readonly handlers = new Map<string, Set<AnyEventHandler>>();

  constructor(
    private readonly logger: Logger,
    private readonly timeoutMs = 30_000,
  ) {}

  /** Subscribes to an event. @returns a function that ends the subscription. @throws InvalidRequestError if the name is unknown. */
  on(event: ServiceEventName | '*', handler: (...args: never[]) => unknown): () => void {
    if (event !== '*' && !Object.hasOwn(names, event)) {
      throw new InvalidRequestError(`Unknown event. The events are ${Object.keys(names).join(', ')} and *.`);
    }
    if (typeof handler !== 'function') throw new InvalidRequestError('handler must be a function.');
    const call = handler as (...args: unknown[]) => unknown;
    // A separate wrapper per subscription: a handler may subscribe twice, and end each subscription separately.
    const subscription: AnyEventHandler =
      event === '*' ? (...args) => call(...args) : (_name, payload) => call(payload);
    const subscriptions = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, subscriptions.add(subscription));
    return () => void subscriptions.delete(subscription);
  }

  /**
   * Emits an event, and logs it if an administrator made the change. Call it after the change is committed. Returns immediately; a
   * handler that fails has no effect.
   */
  emit(...[name, payload]: EmittedEvent): void {
    if ('actor' in payload && payload.actor)
      this.logger.info({ event: name.replaceAll('.', '_'), ...payload }, 'an administrator made a change');
    for (const handler of [...(this.handlers.get(name) ?? []), ...(this.handlers.get('*') ?? [])]) {
      queueMicrotask(() => void this.call(handler, name, Object.freeze({ ...payload })));
    }
  }

  private async call(handler: AnyEventHandler, name: ServiceEventName, payload: AnyPayload) {
    let warning: NodeJS.Timeout | undefined;
    try {
      warning = setTimeout(
        () => this.logger.warn({ event: name }, 'an event handler has not finished in half a minute'),
        this.timeoutMs,
      );
      // A handler that hangs must not keep the process alive.
      warning.unref();
      await handler(name, payload);
    } catch (error) {
      this.logger.error({ event: name, err: describeError(error) }, 'an event handler failed');
    } finally {
      clearTimeout(warning);
    }
  }
}
