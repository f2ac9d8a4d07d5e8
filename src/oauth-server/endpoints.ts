/** Where the endpoints are, below the issuer. */
export const endpoints = {
  authorization: '/oauth/authorize',
  device_authorization: '/oauth/device',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  jwks: '/oauth/jwks',
  userinfo: '/oauth/userinfo',
  registration: '/oauth/register',
} as const;
