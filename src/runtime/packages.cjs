/**
 * The heavy packages, each behind a function that loads it. CommonJS, because only here a package can be loaded synchronously, when it
 * is first needed, by a call that bundlers follow. The build copies this file as it is.
 */
'use strict';

exports.packages = {
  zod: () => require('zod'),
  jsonwebtoken: () => require('jsonwebtoken'),
  'cookie-parser': () => require('cookie-parser'),
  bcrypt: () => require('bcrypt'),
  'ipaddr.js': () => require('ipaddr.js'),
  otpauth: () => require('otpauth'),
  'libphonenumber-js': () => require('libphonenumber-js/max'),
  '@simplewebauthn/server': () => require('@simplewebauthn/server'),
  '@simplewebauthn/server/helpers': () => require('@simplewebauthn/server/helpers'),
  express: () => require('express'),
};
