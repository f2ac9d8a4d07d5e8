/** The only package without a CommonJS form. Apart from packages.cjs, because a bundle of `svc-auth/token` must not contain it. */
'use strict';

exports.importOpenIdClient = () => import('openid-client');
