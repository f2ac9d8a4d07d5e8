/** A package without a CommonJS form. With `catch`, so that bundlers tolerate a missing one. */
'use strict';

exports.importOAuthServerPackage = () =>
  import('oidc-provider').catch((cause) => {
    throw new Error('The package could not be loaded.', { cause });
  });
