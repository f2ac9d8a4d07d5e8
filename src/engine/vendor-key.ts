/** The vendor's public key. To publish the package under another name, replace this constant. */
export const vendorPublicKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAWfsBXWQ2LQY8E+OdnaNt+KtT5NRmkcF/dQwsy6jYDwY=
-----END PUBLIC KEY-----
`;
