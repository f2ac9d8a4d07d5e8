/**
 * The vendor's public key, and the license that unlocks every feature for everyone. To publish the package under another name,
 * replace both: `svc-auth license keygen` creates them together.
 */
export const vendorPublicKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAttgEMpnkgmAVjCkclwL2fM7wcyPi5lsbQf56YE9lVd0=
-----END PUBLIC KEY-----
`;

/**
 * The community license: unlocks the Pro tier free of charge, and does not expire. Pass it as the option `licenseKey` of
 * `createService`.
 */
export const communityLicense =
  'eyJwcm9kdWN0Ijoic3ZjLWF1dGgiLCJ0aWVyIjoicHJvIiwiaG9sZGVyIjoiQ29tbXVuaXR5IiwiaXNzdWVkQXQiOiIyMDI2LTExLTI2VDAwOjAwOjAwLjAwMFoifQ.XgwaTbWijhBKMpwDrhzZd_rT0XQTvLPJ-r3Bp1K8ZnDKxhM6vcsFLwyWno1H710buqK0XhXDDI02df25DlR2BQ';
