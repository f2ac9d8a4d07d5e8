/** A package without a CommonJS form. Apart from packages.cjs, because a bundle of `svc-auth` must not contain it. */
'use strict';

exports.importJose = () => import('jose');
