/** The public API of `svc-auth`. No file of the library imports this one. */
import './http/express-types.js';

export { createService, Service } from './engine/service.js';
export type { DiagnoseOptions } from './engine/doctor/diagnose.js';
export type { Health, HealthCheck, HealthOptions } from './engine/health.js';
export type { Finding, FindingSeverity } from './engine/doctor/finding.js';
export type { ServiceFeatures } from './engine/features.js';
export type { StatisticsReport, StatisticsSeries } from './core/support/statistics-report.js';
export type { StatisticsRange } from './core/support/statistics-periods.js';
export type { StatisticsName } from './core/support/statistics.js';
export type { ServiceConfig } from './config/service-config.js';
export { createAuthRouter, type AuthRouterOptions } from './http/router.js';
export { createProRouter, type ProRouterOptions } from './http/pro-router.js';
export { createAdminRouter, type AdminRouterOptions } from './http/admin-router.js';
export type { AdminAction, Administrator, Authorize } from './http/admin-permission.js';
export { openapiDocument, type OpenApiDocument, type OpenApiOptions } from './http/openapi/document.js';
export type { OpenApiOperation } from './http/openapi/operation.js';
export type { Guard } from './http/guard.js';
export {
  optionalSession,
  requireSession,
  type OptionalSessionOptions,
  type RequestAuth,
  type RequireSessionOptions,
} from './http/require-session.js';

export { watchSession, type WatchSessionOptions } from './http/watch-session.js';
export type { LockdownInput, LockdownResult } from './core/sessions/lockdowns.js';
export type { OnSessionEnd, SessionWatch } from './core/sessions/watched-sessions.js';
export type { SessionEndReason } from './core/sessions/watched-state.js';
export { healthRoute, type HealthRouteOptions } from './http/health-route.js';
export { rememberLinkBrowser } from './http/link-browser.js';
export {
  asyncRoute,
  sameOrigin,
  serviceErrorHandler,
  signInContext,
  signInResponse,
} from './http/own-routes.js';
export {
  endSession,
  startSession,
  type StartedSession,
  type StartSessionOptions,
} from './http/application-session.js';
export type { TokenFrom } from './http/token-from.js';
export type * from './core/sessions/session-source.js';
export type { OrgRequirement, SessionRequirements } from './http/session-requirements.js';
export { wellKnownRoutes, type WellKnownOptions } from './http/well-known.js';
export { requireApiKey, type RequireApiKeyOptions } from './http/require-api-key.js';
export { requireRole } from './http/require-role.js';
export { requireOrgRole, type RequireOrgRoleOptions } from './http/require-org-role.js';

export type * from './domain/imported-user.js';
export type * from './domain/import-report.js';
export { communityLicense } from './engine/vendor-key.js';
export { knexAdapter } from './adapters/knex-adapter.js';
export type { KnexAdapterConfig, KnexAdapterOptions } from './adapters/knex-adapter.js';
export type { ReplicaOptions } from './adapters/postgres/replica.js';
export type { MigrationOptions } from './adapters/postgres/migrations/migrate.js';
export { memoryAdapter } from './adapters/memory/memory-adapter.js';
export { sqliteAdapter } from './adapters/portable/sqlite-adapter.js';
export { pgliteAdapter } from './adapters/postgres/pglite-adapter.js';
export type { ReencryptCounts, ReencryptProgress } from './providers/totp/reencryption.js';
export type { PurgeOptions, ReencryptOptions } from './engine/upkeep.js';
export type { PurgeCounts, StorageAdapter } from './storage/adapter.js';
export type * from './storage/acting-user.js';
export type * from './storage/repositories.js';
export type * from './storage/import-repository.js';
export type * from './storage/export-repository.js';
export type * from './storage/list-range.js';
export type * from './storage/fast-paths.js';
export type * from './storage/inspection.js';
export type * from './storage/schema-administration.js';
export type * from './storage/one-time-code-repository.js';
export type * from './storage/org-repository.js';
export type * from './storage/pro-repositories.js';
export type * from './storage/rate-limit-repository.js';
export type * from './storage/rate-limit-store.js';
export type * from './storage/second-factor-repositories.js';
export type * from './storage/session-cache-store.js';
export type * from './storage/session-changes.js';
export type * from './storage/statistics-repository.js';
export type * from './storage/user-administration-repository.js';
export type * from './storage/warning.js';

export { consoleSender, consoleSmsSender } from './core/mail/senders/console-sender.js';
export { smtpSender, type SmtpOptions } from './core/mail/senders/smtp-sender.js';
export type {
  AccountChange,
  AccountEvent,
  AccountNoticeTemplate,
  CodeTemplate,
  EmailContent,
  EmailKind,
  EmailMessage,
  EmailSender,
  LinkTemplate,
  MagicLinkTemplate,
  EventTemplate,
  NoticeTemplate,
  PhoneNoticeTemplate,
  ResetCodeTemplate,
  TemplateValues,
} from './core/mail/senders/email-sender.js';
export type { Brand, MailLogo } from './core/support/brand.js';
export { mailLayout, type MailParts } from './core/mail/mail-layout.js';
export type { MailBlock } from './core/mail/mail-blocks.js';
export {
  en as englishMailTexts,
  type MailedApp,
  type MailedCode,
  type MailedPhone,
  type MailedProvider,
  type MailTexts,
} from './core/mail/texts/en.js';
export type { SmsSender, SmsTemplate } from './core/mail/senders/sms-sender.js';
export { argon2idHasher, type Argon2idOptions } from './core/passwords/argon2id-hasher.js';
export { bcryptHasher, type BcryptOptions } from './core/passwords/bcrypt-hasher.js';
export type { PasswordHasher } from './core/passwords/password-hasher.js';
export {
  pbkdf2Hasher,
  phpassHasher,
  scryptHasher,
  shaCryptHasher,
  type Pbkdf2Options,
  type ScryptOptions,
  type ShaCryptOptions,
} from './core/passwords/foreign/hashers.js';
export {
  deviseHasher,
  firebaseHasher,
  type DeviseOptions,
  type FirebaseOptions,
} from './core/passwords/foreign/keyed-hashers.js';
export type { Logger } from './core/support/logger.js';

export type {
  ChallengeProvider,
  ChallengePurpose,
  ChallengeRequest,
  ChallengeSolution,
} from './core/limits/challenge-options.js';
export type { PendingSignIn } from './core/sessions/second-factor.js';
export type { TrustToken } from './core/sessions/trusted-browsers.js';
export type { RequestContext } from './core/sessions/request-context.js';
export type { ChangedUser, SignInResult } from './core/sessions/sign-in-result.js';
export type { AllowSignUp, SignUpCandidate, SignUpDecision } from './core/sign-ups/sign-up-options.js';
export type { SignUpFields } from './core/sign-ups/sign-up-fields.js';
export type { IssuedSession } from './core/sessions/sessions.js';

export type {
  AnyEventHandler,
  EventActor,
  EventHandler,
  ServiceEventName,
  ServiceEvents,
} from './core/support/events.js';

export type { TokenActor } from './domain/oauth-server.js';
export type { UserDataHandler } from './core/support/user-data.js';
export type * from './providers/table.js';
export type { LinkToConfirm, OpenedLink, SentLink } from './providers/magic-link/magic-link.js';
export type { AccountSummary } from './providers/account/account.js';
export type { EmailChangeInput } from './providers/account/options.js';
export type { ApiKeyRevocation } from './providers/api-keys/revocation.js';
export type { ApiKeyOwner, NewApiKey } from './core/support/new-api-key.js';
export type { IssuedInvite, NewInvite } from './providers/orgs/invites.js';
export type { InvitePreview } from './providers/orgs/invites.js';
export type { OrgInviteTemplate } from './core/mail/senders/email-sender.js';
export type { Actor } from './core/sessions/actor.js';
export type { AdministrativeChange, OwnedRecordChange, UserChangeBy } from './core/sessions/change-by.js';
export type { Page, PageRequest } from './core/support/pages.js';
export type { OrgMember } from './providers/orgs/members.js';
export type { IssuingSession, RefreshChanges } from './providers/refresh.js';
export type {
  AddedTotpApp,
  NewRecoveryCodes,
  PublicTotpApp,
  SecondFactorInput,
  SecondFactorResult,
  StartingContext,
} from './providers/totp/inputs.js';
export type { ListedTrustedBrowser, SecondFactorState } from './providers/second-factor/inputs.js';
export type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from './domain/passkey-json.js';
export type { StartedPasskey } from './providers/webauthn/webauthn.js';
export type { GuestUpgradeInput } from './providers/sessions/inputs.js';
export type { PasswordChangeInput } from './providers/email-password/options.js';
export type { CreatedReset } from './providers/email-password/created-resets.js';
export type { PendingSignUp } from './providers/email-password/private-sign-ups.js';
export type { UserLookupInput, UserUpdateBy } from './providers/users/inputs.js';
export type { UserListInput } from './providers/users/user-lists.js';
export type {
  NewUserInput,
  UserBlockInput,
  UserFilterInput,
  UserInviteInput,
  UserUpdateInput,
} from './domain/user-inputs.js';
export type { AuthUrlOptions } from './providers/oauth/google.js';
export type { OAuthAuthUrl, OAuthCode, OAuthSignInResult, OAuthUrlOptions } from './providers/oauth/oauth.js';
export type {
  IdentitySignInResult,
  LinkedIdentity,
  OAuthRedirectResult,
  StartRedirectOptions,
} from './providers/oauth/redirect-sign-in.js';
export type { StartedRedirect } from './providers/oauth/authorization-flow.js';
export type { ClientSecret } from './providers/oauth/client-secret.js';
export type { MapProfile, MappedProfile, ProfileToMetadata } from './providers/oauth/profile.js';
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

export type { ApiKey, PublicApiKey, StoredApiKey } from './domain/api-key.js';
export type { PasskeySignals, PublicCredential, StoredCredential } from './domain/credential.js';
export type { TotpApp, TotpEnrollment } from './domain/totp.js';
export type {
  PreferableMethod,
  SecondFactorMethod,
  SecondFactors,
  SecondStepMethods,
} from './domain/second-factor.js';
export type { StoredTrustedBrowser, TrustedBrowser } from './domain/trusted-browser.js';
export type { InviteDetails, InviteState, PresentedInvite } from './domain/org-invite.js';
export type { MembershipState, Org, OrgInvite, OrgMembership, OrgRole } from './domain/org.js';
export type {
  PublicRefreshFamily,
  RefreshFamily,
  RefreshFamilyKind,
  RefreshToken,
  TokenPair,
} from './domain/refresh-family.js';
export type { UserDataExport } from './domain/user-data-export.js';
export type { IdentityProfile, PersonProfile, ServiceIdentity, SignUpProfile } from './domain/identity.js';
export type { CodeFormat, CodePurpose, SentCode, ServiceOneTimeCode } from './domain/one-time-code.js';
export type { DeviceInfo, DeviceSession, ServiceSession } from './domain/session.js';
export type { DeviceKind, SignedInDevice } from './domain/signed-in-device.js';
export type { AccountPhone } from './providers/phone-otp/phone-otp.js';
export type { EndedSignIns, SignInLimit } from './storage/sign-in-limit.js';
export { parseEmailAddress as canonicalEmail } from './domain/email-address.js';
export type { AccountState, SingleUseToken, TokenPurpose } from './domain/single-use-token.js';
export type { ServiceUser, StoredUser } from './domain/user.js';
export type { UserBlock } from './domain/user-block.js';
export type { AdministeredUser, UserRecord } from './domain/user-record.js';
export type {
  AuditActivity,
  AuditActor,
  AuditFault,
  AuditFilter,
  AuditHead,
  AuditOrigin,
  AuditRecord,
  AuditSeal,
  AuditVerification,
  StoredAuditRecord,
} from './domain/audit.js';
export type * from './storage/audit-repository.js';
export type { TailedAuditRecord } from './core/audit/tail.js';
export type { Username } from './domain/username.js';

export { isServiceError, ServiceError, type ServiceErrorCode } from './errors/service-error.js';
export * from './errors/catalog.js';
