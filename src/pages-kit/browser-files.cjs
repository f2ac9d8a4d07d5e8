/**
 * What browsers load: the stylesheets and scripts in the folder `browser`. CommonJS, because it knows its folder in every kind of build. A
 * build replaces this file by one that contains them, so that a bundle of an application has them as well: scripts/browser-files.ts.
 */
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Returns the content of a file, by its path below `browser`. */
exports.browserFile = (name) => readFileSync(join(__dirname, 'browser', name), 'utf8');
