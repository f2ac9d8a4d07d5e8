/** The public surface of `svc-auth`. Nobody inside imports this file. */
import './http/express-types.js';

export { createService, Service } from './engine/service.js';
export type { ServiceConfig } from './config/schema.js';
export { createAuthRouter, type AuthRouterOptions } from './http/router.js';
export { createProRouter, type ProRouterOptions } from './http/pro-router.js';
export { openapiDocument, type OpenApiDocument, type OpenApiOptions } from './http/openapi/document.js';
export type { OpenApiOperation } from './http/openapi/operation.js';
export type { Guard } from './http/guard.js';
export {
  optionalSession,
  requireSession,
  type RequestAuth,
  type RequireSessionOptions,
} from './http/require-session.js';

export {
  asyncRoute,
  sameOrigin,
  serviceErrorHandler,
  signInContext,
  signInResponse,
} from './http/own-routes.js';
export type { OrgRequirement, SessionRequirements } from './http/session-requirements.js';
export { requireApiKey, type RequireApiKeyOptions } from './http/require-api-key.js';
export { requireOrgRole, type RequireOrgRoleOptions } from './http/require-org-role.js';

export { knexAdapter } from './adapters/sql/knex-adapter.js';
export type { KnexAdapterOptions } from './adapters/sql/knex-adapter.js';
export { memoryAdapter } from './adapters/memory/memory-adapter.js';
export { pgliteAdapter } from './adapters/pglite/pglite-adapter.js';
export type { ReencryptCounts } from './providers/totp/reencryption.js';
export type { PurgeCounts, StorageAdapter, StorageWarning } from './storage/adapter.js';
export type * from './storage/repositories.js';
export type * from './storage/list-range.js';
export type * from './storage/org-repository.js';
export type * from './storage/pro-repositories.js';

export { consoleSender, consoleSmsSender } from './kit/senders/console-sender.js';
export { smtpSender, type SmtpOptions } from './kit/senders/smtp-sender.js';
export type {
  CodeTemplate,
  EmailContent,
  EmailKind,
  EmailMessage,
  EmailSender,
  LinkTemplate,
  NoticeTemplate,
} from './kit/senders/email-sender.js';
export type { SmsSender, SmsTemplate } from './kit/senders/sms-sender.js';
export { bcryptHasher, type PasswordHasher } from './kit/password-hasher.js';
export type { Logger } from './kit/logger.js';
export type { RateLimitStore } from './kit/shared-counters.js';
export type { PendingSignIn } from './kit/second-factor.js';
export type { ChangedUser, RequestContext, SignInResult } from './kit/sign-in.js';
export type { IssuedSession } from './kit/sessions.js';

export type { AnyEventHandler, EventHandler, ServiceEventName, ServiceEvents } from './kit/events.js';

export type { AccountContributor } from './kit/contributors.js';
export type { AccountProvider, AccountSummary } from './providers/account/account.js';
export type { EmailChangeInput } from './providers/account/addresses.js';
export type { ApiKeyRevocation, ApiKeysProvider, MakerSession } from './providers/api-keys.js';
export type { NewApiKey } from './kit/new-api-key.js';
export type { IssuedInvite, NewInvite } from './providers/orgs/invites.js';
export type { InvitePreview } from './providers/orgs/invites.js';
export type { OrgInviteTemplate } from './kit/senders/email-sender.js';
export type { Acting } from './kit/acting.js';
export type { Page, PageRequest } from './kit/pages.js';
export type { OrgMember } from './providers/orgs/members.js';
export type { OrgsProvider } from './providers/orgs/orgs.js';
export type { PhoneOtpProvider } from './providers/phone-otp.js';
export type { IssuingSession, RefreshChanges, RefreshProvider } from './providers/refresh.js';
export type { NewRecoveryCodes, SecondFactorInput } from './providers/totp/inputs.js';
export type { TotpProvider } from './providers/totp/totp.js';
export type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
  WebAuthnProvider,
} from './providers/webauthn/webauthn.js';
export type { GuestUpgradeInput, SessionsProvider } from './providers/sessions.js';
export type { EmailCodeProvider } from './providers/email-code.js';
export type { IdentitiesProvider } from './providers/identities.js';
export type { EmailPasswordProvider } from './providers/email-password/email-password.js';
export type { PasswordChangeInput } from './providers/email-password/password-changes.js';
export type { MagicLinkProvider } from './providers/magic-link.js';
export type { AuthUrlOptions, GoogleProvider } from './providers/oauth/google.js';
export type {
  OAuthAuthUrl,
  OAuthCode,
  OAuthProvider,
  OAuthSignInResult,
  OAuthUrlOptions,
} from './providers/oauth/oauth.js';
export type {
  IdentitySignInResult,
  LinkedIdentity,
  OAuthRedirectResult,
} from './providers/oauth/redirect-sign-in.js';
export type { StartedRedirect } from './providers/oauth/authorization-flow.js';
export type { ClientSecret } from './providers/oauth/client-secret.js';
export type { MapProfile, MappedProfile } from './providers/oauth/profile.js';
export type { OAuthTokens } from './providers/oauth/tokens.js';
export type { FetchUserInfo, UserInfoRequest } from './providers/oauth/user-info.js';
export { apple, type AppleKey, type ApplePreset } from './providers/oauth/presets/apple.js';
export { discord } from './providers/oauth/presets/discord.js';
export { github } from './providers/oauth/presets/github.js';
export { gitlab } from './providers/oauth/presets/gitlab.js';
export { microsoft } from './providers/oauth/presets/microsoft.js';
export type { OAuthPreset, OpenIdPreset } from './providers/oauth/presets/preset.js';

export { verifyToken, type VerifyTokenOptions } from './crypto/verify-token.js';
export { isImpersonated, type SessionClaims } from './crypto/session-jwt.js';

export type { ApiKey, ApiKeyOwner, PublicApiKey, StoredApiKey } from './domain/api-key.js';
export type { PublicCredential, StoredCredential } from './domain/credential.js';
export type { TotpEnrollment } from './domain/totp.js';
export type { InviteDetails, InviteState, PresentedInvite } from './domain/org-invite.js';
export type { MembershipState, Org, OrgInvite, OrgMembership, OrgRole } from './domain/org.js';
export type { PublicRefreshFamily, RefreshFamily, RefreshToken, TokenPair } from './domain/refresh-family.js';
export type { UserDataExport } from './domain/user-data-export.js';
export type { IdentityProfile, ServiceIdentity } from './domain/identity.js';
export type { CodePurpose, ServiceOneTimeCode } from './domain/one-time-code.js';
export type { DeviceInfo, DeviceSession, ServiceSession } from './domain/session.js';
export { parseEmailAddress as canonicalEmail } from './domain/email-address.js';
export type { AccountState, SingleUseToken, TokenPurpose } from './domain/single-use-token.js';
export type { ServiceUser, StoredUser } from './domain/user.js';

export { isServiceError, ServiceError, type ServiceErrorCode } from './errors/service-error.js';
export {
  AdapterCapabilityError,
  ApiKeyInvalidError,
  CodeExpiredError,
  CodeInvalidError,
  CodeNotFoundError,
  ConfigError,
  EmailExistsError,
  EmailSendError,
  EmailUnverifiedError,
  EncryptionRequiredError,
  InternalError,
  InvalidCredentialsError,
  InvalidRequestError,
  LicenseRequiredError,
  MaxAttemptsError,
  MfaRequiredError,
  NotAuthorizedError,
  OAuthError,
  OrgError,
  ProviderNotConfiguredError,
  RateLimitError,
  ReauthRequiredError,
  RefreshTokenInvalidError,
  SessionChangedError,
  SmsSendError,
  TokenInvalidError,
  UserNotFoundError,
  WeakPasswordError,
  type ConfigFault,
  type PasswordRefusal,
} from './errors/catalog.js';
