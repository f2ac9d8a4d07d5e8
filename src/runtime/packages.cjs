/**
 * The large packages, each with a function that loads it. CommonJS, because only CommonJS can load
 * a package synchronously, when it is first needed, with a call that bundlers recognize. The build
 * copies this file unchanged.
 */
'use strict';

const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

exports.packages = {
  jsonwebtoken: () => require('jsonwebtoken'),
  bcrypt: () => require('bcrypt'),
  'ipaddr.js': () => require('ipaddr.js'),
  express: () => require('express'),
  './common-passwords.cjs': () => require('./common-passwords.cjs'),
  // Inside `try`, so that bundlers tolerate a missing optional package.
  otpauth: () => {
    try {
      return require('otpauth');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  'lean-qr': () => {
    try {
      return require('lean-qr');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  'libphonenumber-js': () => {
    try {
      return require('libphonenumber-js/max');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  'altcha-lib': () => {
    try {
      return require('altcha-lib');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  'altcha-lib/algorithms/pbkdf2': () => {
    try {
      return require('altcha-lib/algorithms/pbkdf2');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  'disposable-email-domains-js': () => {
    try {
      return require('disposable-email-domains-js');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  '@node-rs/argon2': () => {
    try {
      return require('@node-rs/argon2');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  '@simplewebauthn/server': () => {
    try {
      return require('@simplewebauthn/server');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
  '@simplewebauthn/server/helpers': () => {
    try {
      return require('@simplewebauthn/server/helpers');
    } catch (cause) {
      throw notLoaded(cause);
    }
  },
};

function notLoaded(cause) {
  return new Error('The package could not be loaded.', { cause });
}

/** Returns whether a package is installed, without loading it. */
exports.isInstalled = (name) => {
  try {
    createRequire(__filename).resolve(name);
    return true;
  } catch {
    // A bundle contains its packages and has no folder of them.
    return canLoad(name);
  }
};

/** Returns the content of a file of an installed package. Null if it cannot be read, for example in a bundle. */
exports.readPackageFile = (file) => {
  try {
    return readFileSync(createRequire(__filename).resolve(file), 'utf8');
  } catch {
    return null;
  }
};

/** Returns the version of an installed package without loading it. Null if it cannot be read. */
exports.installedVersion = (name) => {
  for (const folder of createRequire(__filename).resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {
      // Not in this folder.
    }
  }
  return null;
};

function canLoad(name) {
  try {
    exports.packages[name]();
    return true;
  } catch {
    return false;
  }
}
