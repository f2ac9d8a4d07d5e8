/**
 * What browsers load: the stylesheets and scripts in the folder `browser`. CommonJS, because it knows its folder in every kind of build. A
 * build replaces this file by one that contains their texts, so that a bundle of an application contains them, too: scripts/browser-files.ts.
 */
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Returns the text of a file, by its path below `browser`. */
exports.browserFile = (name) => readFileSync(join(__dirname, 'browser', name), 'utf8');
