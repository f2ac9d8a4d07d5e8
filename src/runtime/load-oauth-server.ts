/** The package on which the OAuth server is built. Apart from load.ts, because a bundle of `svc-auth` must not contain it. */
import { missingPackage } from './load.js';
import { importOAuthServerPackage } from './oauth-server-package.cjs';

/** @throws InternalError that names the package, if it is not installed. */
export const loadOAuthServerPackage = () =>
  importOAuthServerPackage().catch((cause: unknown) => {
    throw missingPackage('oidc-provider', cause);
  });
