/** The places where a service returns a secret on purpose. No other place may contain one. */

type Paths = RegExp;

const none: Paths = /^(?!)/;
/** A sign-in that starts a session: the routes put the token into a cookie. */
const signIn: Paths = /^(?:(?:session|pending|trust)\.token|bearer\.(?:accessToken|refreshToken))$/;
const identity: Paths =
  /^(?:(?:session|pending)\.token|(?:bearer|tokens)\.(?:accessToken|refreshToken|idToken))$/;
/** A cookie binds the browser to it, and the caller keeps the verifier. */
const redirect: Paths = /^(?:transaction|codeVerifier|state|url)$/;

/** By method of a service or of a provider, as applications call it. */
const results: Record<string, Paths> = {
  createSessionToken: /^token$/,
  completeSignUp: signIn,
  'emailCode.verify': signIn,
  'emailCode.upgradeGuest': signIn,
  'magicLink.sendLink': /^(?:url|browserToken)$/,
  'magicLink.verify': signIn,
  'magicLink.verifyCode': signIn,
  'magicLink.openLink': /^signedIn\.(?:session|pending)\.token$/,
  'emailPassword.signup': signIn,
  // The route puts the token of a pending sign-up into a cookie, or into the response to a client without cookies.
  'emailPassword.startSignUp': /^(?:token|session\.token|bearer\.(?:accessToken|refreshToken))$/,
  // The application mails it.
  'emailPassword.createReset': /^(?:token|url)$/,
  'emailPassword.finishSignUp': signIn,
  'emailPassword.login': signIn,
  'emailPassword.changePassword': signIn,
  'emailPassword.upgradeGuest': signIn,
  'phoneOtp.verify': signIn,
  'webauthn.finishAuthentication': signIn,
  'webauthn.finishSecondFactor': signIn,
  'webauthn.finishSignUp': signIn,
  'totp.finishSignIn': signIn,
  'secondFactor.finishWithEmailCode': signIn,
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
  'sessionsProvider.createGuest': /^(?:token|bearer\.(?:accessToken|refreshToken))$/,
  'sessionsProvider.impersonate': /^token$/,
  'refresh.issue': /^(?:accessToken|refreshToken)$/,
  'refresh.refresh': /^(?:accessToken|refreshToken)$/,
  // Returned once, on creation.
  'apiKeys.create': /^key$/,
  'totp.beginEnrollment': /^(?:secret|uri)$/,
  'totp.confirmEnrollment': /^(?:recoveryCodes|session\.token)$/,
  'totp.regenerateRecoveryCodes': /^(?:|recoveryCodes|session\.token)$/,
  'totp.addApp': /^(?:recoveryCodes|session\.token)$/,
  'totp.removeApp': /^session\.token$/,
  'totp.disable': /^session\.token$/,
  'secondFactor.enableEmail': /^session\.token$/,
  'secondFactor.disableEmail': /^session\.token$/,
  'orgs.invite': /^(?:token|url)$/,
};

/** By method and route, for JSON bodies. Cookies are scanned separately, as they contain tokens by design. */
const responses: [RegExp, Paths][] = [
  [
    /^POST \/(?:password\/signup|(?:email-code|magic-link|phone|guest\/upgrade)\/send|guest(?:\/upgrade)?|passkeys\/signup\/(?:send|start))$/,
    /^json\.challenge\.signature$/,
  ],
  [/^POST \/(?:token\/(?:issue|refresh)|session\/refresh)$/, /^json\.(?:accessToken|refreshToken)$/],
  [/^POST (?:\/orgs\/[^/]+)?\/api-keys$/, /^json\.key$/],
  [/^POST \/totp\/enroll$/, /^json\.(?:secret|uri)$/],
  [/^POST \/totp\/(?:apps|confirm|recovery-codes)$/, /^json\.recoveryCodes$/],
];

/** The sender's own error, whose content its author decides. */
const errors: Record<string, Paths> = {
  email_send_failed: /^cause\b/,
  sms_send_failed: /^cause\b/,
  // Signs the challenge, which is for the client.
  challenge_required: /^challenge\.signature$/,
  // The routes put it into a cookie, or into the response to a client without cookies.
  fields_required: /^pending\.token$/,
};

const allowedBy = (paths: Paths) => (path: string) => paths.test(path);

export function allowedInResult(method: string): (path: string) => boolean {
  return allowedBy(results[method] ?? none);
}

/** What a client without cookies gets instead of them. */
const instead: Paths = /^json\.(?:bearer\.(?:accessToken|refreshToken)|pending\.token)$/;

/** The challenges of bound sessions, for the browser that has the cookie. */
const challenges: Paths = /^headers\.secure-session-(?:registration|challenge)$/;

/** @param isBearer whether the request asks for tokens instead of cookies. */
export function allowedInResponse(
  method: string,
  route: string,
  isBearer = false,
): (path: string) => boolean {
  const call = `${method} ${route.split('?')[0]}`;
  const allowed = allowedBy(responses.find(([of]) => of.test(call))?.[1] ?? none);
  return (path) => allowed(path) || challenges.test(path) || (isBearer && instead.test(path));
}

export function allowedInError(code: unknown): (path: string) => boolean {
  return allowedBy((typeof code === 'string' && errors[code]) || none);
}
