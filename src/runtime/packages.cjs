/**
 * The packages that are loaded when they are first needed. CommonJS, because only CommonJS can load
 * a package synchronously, with a call that bundlers recognize, and because CommonJS Jest refuses
 * every `import()`. The build copies this file unchanged.
 */
'use strict';

const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

/** The dependencies. */
const required = {
  jsonwebtoken: () => require('jsonwebtoken'),
  bcrypt: () => require('bcrypt'),
  'ipaddr.js': () => require('ipaddr.js'),
  express: () => require('express'),
  nodemailer: () => require('nodemailer'),
  'nodemailer/lib/mail-composer': () => require('nodemailer/lib/mail-composer'),
  './common-passwords.cjs': () => require('./common-passwords.cjs'),
};

/** The optional peer dependencies, each a literal inside `try`, so that bundlers tolerate a missing one. */
function loadOptional(name) {
  try {
    switch (name) {
      case '@node-rs/argon2':
        return require('@node-rs/argon2');
      case '@nestjs/websockets':
        return require('@nestjs/websockets');
      case '@simplewebauthn/server':
        return require('@simplewebauthn/server');
      case '@simplewebauthn/server/helpers':
        return require('@simplewebauthn/server/helpers');
      case '@opentelemetry/api':
        return require('@opentelemetry/api');
      case 'altcha-lib':
        return require('altcha-lib');
      case 'altcha-lib/algorithms/pbkdf2':
        return require('altcha-lib/algorithms/pbkdf2');
      case 'disposable-email-domains-js':
        return require('disposable-email-domains-js');
      case 'lean-qr':
        return require('lean-qr');
      case 'libphonenumber-js':
        return require('libphonenumber-js/max');
      case 'otpauth':
        return require('otpauth');
      // The drivers of SQLite are native addons, which a bundle cannot contain.
      default:
        return require(name);
    }
  } catch (cause) {
    throw new Error('The package could not be loaded.', { cause });
  }
}

/** Returns the exports of a package. */
exports.loadPackage = (name) => (Object.hasOwn(required, name) ? required[name]() : loadOptional(name));

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
  // A bundle in ES module format has no file name.
  const folders = typeof __filename === 'string' ? createRequire(__filename).resolve.paths(name) : null;
  for (const folder of folders ?? []) {
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
    exports.loadPackage(name);
    return true;
  } catch {
    return false;
  }
}
