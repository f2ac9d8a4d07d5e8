/** What may be where: everything that a service tells on purpose. What is not named here must hold no secret. */

type Paths = RegExp;

const none: Paths = /^(?!)/;
/** A sign-in for which a session was asked: the routes put it into a cookie. */
const signIn: Paths = /^(?:session|pending)\.token$/;
const identity: Paths = /^(?:(?:session|pending)\.token|tokens\.(?:accessToken|refreshToken|idToken))$/;
/** The browser is bound to it by a cookie, and the verifier is the caller's to keep. */
const redirect: Paths = /^(?:transaction|codeVerifier|state|url)$/;

/** By method of a service or of a provider, as applications call it. */
const results: Record<string, Paths> = {
  createSessionToken: /^token$/,
  'emailCode.verify': signIn,
  'emailCode.upgradeGuest': signIn,
  'magicLink.sendLink': /^url$/,
  'magicLink.verify': signIn,
  'emailPassword.signup': signIn,
  'emailPassword.login': signIn,
  'emailPassword.changePassword': signIn,
  'emailPassword.upgradeGuest': signIn,
  'phoneOtp.verify': signIn,
  'webauthn.finishAuthentication': signIn,
  'totp.finishSignIn': signIn,
  'account.confirmEmailChange': signIn,
  'google.startRedirect': redirect,
  'google.startLink': redirect,
  'google.handleCallback': identity,
  'google.finishRedirect': identity,
  'oauth.getAuthUrl': redirect,
  'oauth.startRedirect': redirect,
  'oauth.startLink': redirect,
  'oauth.handleCallback': identity,
  'oauth.finishRedirect': identity,
  'sessionsProvider.create': /^token$/,
  'sessionsProvider.createGuest': /^token$/,
  'sessionsProvider.impersonate': /^token$/,
  'refresh.issue': /^(?:accessToken|refreshToken)$/,
  'refresh.refresh': /^(?:accessToken|refreshToken)$/,
  // Told once, when they are made.
  'apiKeys.create': /^key$/,
  'totp.beginEnrollment': /^(?:secret|uri)$/,
  'totp.confirmEnrollment': /^(?:recoveryCodes|session\.token)$/,
  'totp.regenerateRecoveryCodes': /^(?:|recoveryCodes|session\.token)$/,
  'totp.disable': /^session\.token$/,
  'orgs.invite': /^(?:token|url)$/,
};

/** By method and route; of a body that is JSON. Cookies are looked at apart, and hold tokens by their nature. */
const answers: [RegExp, Paths][] = [
  [/^POST \/token\/(?:issue|refresh)$/, /^json\.(?:accessToken|refreshToken)$/],
  [/^POST (?:\/orgs\/[^/]+)?\/api-keys$/, /^json\.key$/],
  [/^POST \/totp\/enroll$/, /^json\.(?:secret|uri)$/],
  [/^POST \/totp\/(?:confirm|recovery-codes)$/, /^json\.recoveryCodes$/],
];

/** The sender's own error, which says what the sender's author lets it say. */
const errors: Record<string, Paths> = {
  email_send_failed: /^cause\b/,
  sms_send_failed: /^cause\b/,
};

const allowedBy = (paths: Paths) => (path: string) => paths.test(path);

export function allowedInResult(method: string): (path: string) => boolean {
  return allowedBy(results[method] ?? none);
}

export function allowedInAnswer(method: string, route: string): (path: string) => boolean {
  const call = `${method} ${route.split('?')[0]}`;
  return allowedBy(answers.find(([of]) => of.test(call))?.[1] ?? none);
}

export function allowedInError(code: unknown): (path: string) => boolean {
  return allowedBy((typeof code === 'string' && errors[code]) || none);
}
