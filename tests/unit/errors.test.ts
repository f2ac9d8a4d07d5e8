// The errors of specification part 7, and those that have no code there.
import * as surface from 'svc-auth';
import { isServiceError, ServiceError } from 'svc-auth';
import { tsImport } from 'tsx/esm/api';
import { errorCodes } from '../../src/errors/service-error.js';

const noRecords = { read: 0, created: 0, merged: 0, renewed: 0, unchanged: 0, skipped: 0, refused: 0 };

const catalog: [string, string, ServiceError][] = [
  ['RateLimitError', 'rate_limit_exceeded', new surface.RateLimitError(1000)],
  ['CodeInvalidError', 'code_invalid', new surface.CodeInvalidError(3)],
  ['CodeExpiredError', 'code_expired', new surface.CodeExpiredError()],
  ['CodeNotFoundError', 'code_not_found', new surface.CodeNotFoundError()],
  ['MaxAttemptsError', 'max_attempts_exceeded', new surface.MaxAttemptsError()],
  ['InvalidCredentialsError', 'invalid_credentials', new surface.InvalidCredentialsError()],
  ['TokenInvalidError', 'token_invalid', new surface.TokenInvalidError()],
  ['ApiKeyInvalidError', 'api_key_invalid', new surface.ApiKeyInvalidError()],
  ['RefreshTokenInvalidError', 'refresh_token_invalid', new surface.RefreshTokenInvalidError()],
  ['NotAuthorizedError', 'not_authorized', new surface.NotAuthorizedError()],
  ['UserNotFoundError', 'user_not_found', new surface.UserNotFoundError()],
  ['EmailExistsError', 'email_exists', new surface.EmailExistsError()],
  ['ExternalIdExistsError', 'external_id_exists', new surface.ExternalIdExistsError()],
  ['WeakPasswordError', 'weak_password', new surface.WeakPasswordError()],
  ['OrgError', 'org_error', new surface.OrgError()],
  ['EncryptionRequiredError', 'encryption_required', new surface.EncryptionRequiredError()],
  ['ProviderNotConfiguredError', 'provider_not_configured', new surface.ProviderNotConfiguredError('google')],
  ['LicenseRequiredError', 'license_required', new surface.LicenseRequiredError('totp')],
  ['AdapterCapabilityError', 'adapter_capability', new surface.AdapterCapabilityError('totp')],
  ['EmailSendError', 'email_send_failed', new surface.EmailSendError(new Error('smtp'))],
  ['OAuthError', 'oauth_error', new surface.OAuthError()],
  ['InvalidRequestError', 'invalid_request', new surface.InvalidRequestError()],
  ['MfaRequiredError', 'mfa_required', new surface.MfaRequiredError()],
  ['ReauthRequiredError', 'reauth_required', new surface.ReauthRequiredError()],
  ['SessionChangedError', 'session_changed', new surface.SessionChangedError()],
  ['BoundSessionRequiredError', 'bound_session_required', new surface.BoundSessionRequiredError()],
  ['EmailUnverifiedError', 'email_unverified', new surface.EmailUnverifiedError()],
  ['UserBlockedError', 'user_blocked', new surface.UserBlockedError()],
  ['SignUpDisabledError', 'sign_up_disabled', new surface.SignUpDisabledError()],
  ['FieldsRequiredError', 'fields_required', new surface.FieldsRequiredError()],
  ['ChallengeRequiredError', 'challenge_required', new surface.ChallengeRequiredError({})],
  ['SmsSendError', 'sms_send_failed', new surface.SmsSendError(new Error('sms'))],
  [
    'ImportConflictError',
    'import_conflict',
    new surface.ImportConflictError([], { ...noRecords, faults: [], warnings: [] }),
  ],
  ['ConfigError', 'config_invalid', new surface.ConfigError([])],
  ['InternalError', 'internal_error', new surface.InternalError(new Error('db'))],
];

describe.each(catalog)('%s', (name, code, error) => {
  it(`an error of the class has the code ${code} and its name, and is an Error and a ServiceError`, () => {
    expect(error.code).toBe(code);
    expect(error.name).toBe(name);
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ServiceError);
    expect(isServiceError(error)).toBe(true);
    expect(error.message.length).toBeGreaterThan(0);
    expect(error.stack).toContain(name);
  });

  it('the message of the class is constant for its code', () => {
    expect(errorCodes[error.code].message.length).toBeGreaterThan(0);
    expect(error.message.startsWith(errorCodes[error.code].message)).toBe(true);
  });
});

describe('the error catalog', () => {
  it('every code of the specification has exactly one class', () => {
    const codes = catalog.map(([, code]) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect([...codes].sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it('errors carry the data of the specification', () => {
    expect(new surface.RateLimitError(1234.2).retryAfterMs).toBe(1235);
    expect(new surface.RateLimitError(0).retryAfterMs).toBe(1);
    expect(new surface.CodeInvalidError(3).attemptsRemaining).toBe(3);
    const cause = new Error('why');
    expect(new surface.EmailSendError(cause).cause).toBe(cause);
    expect(new surface.InternalError(cause).cause).toBe(cause);
  });

  it('a logger does not write the token of a pending sign-in', () => {
    const pending = { token: 'a secret', expiresAt: new Date(0) };
    const error = new surface.MfaRequiredError({ methods: ['totp'], preferred: 'totp' }, pending);
    expect(error.pending).toBe(pending);
    expect(JSON.stringify(error)).not.toContain('a secret');
    expect({ ...error }).toEqual({
      name: 'MfaRequiredError',
      code: 'mfa_required',
      methods: ['totp'],
      preferred: 'totp',
    });
  });

  it('the message of an error does not contain its cause', () => {
    const cause = new Error('password=hunter2');
    for (const error of [new surface.EmailSendError(cause), new surface.InternalError(cause)]) {
      expect(error.message).not.toContain('hunter2');
      expect(JSON.stringify(error)).not.toContain('hunter2');
    }
  });
});

describe('isServiceError', () => {
  it('isServiceError() recognizes the errors of another copy of the package', async () => {
    // Loads every module once more.
    const copy = (await tsImport('../../src/index.ts', import.meta.url)) as typeof surface;
    const foreign = new copy.TokenInvalidError();
    expect(copy.TokenInvalidError).not.toBe(surface.TokenInvalidError);
    expect(foreign).not.toBeInstanceOf(surface.TokenInvalidError);
    expect(isServiceError(foreign)).toBe(true);
    expect(copy.isServiceError(new surface.TokenInvalidError())).toBe(true);
  });

  it.each([
    ['another error', new Error('x')],
    ['an object with only the code', Object.assign(new Error('x'), { code: 'token_invalid' })],
    ['an object with only the name', Object.assign(new Error('x'), { name: 'TokenInvalidError' })],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'token_invalid'],
    ['an error that was sent as JSON', JSON.parse(JSON.stringify(new surface.TokenInvalidError()))],
  ])('isServiceError() returns false for %s', (_name, value) => {
    expect(isServiceError(value)).toBe(false);
  });
});
