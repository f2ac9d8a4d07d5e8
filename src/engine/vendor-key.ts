/** The vendor's public key. Whoever publishes the package under their own name replaces this one constant. */
export const vendorPublicKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAWfsBXWQ2LQY8E+OdnaNt+KtT5NRmkcF/dQwsy6jYDwY=
-----END PUBLIC KEY-----
`;
