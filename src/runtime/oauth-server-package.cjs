/** The package on which the OAuth server is built. It has no CommonJS form. Apart from the others, because only `svc-auth/oauth-server` needs it. */
'use strict';

exports.importOAuthServerPackage = () => import('oidc-provider');
