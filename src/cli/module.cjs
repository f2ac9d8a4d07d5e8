/** What the code of an ES module and the CommonJS that is built from it write differently. */
'use strict';

exports.folder = __dirname;

/** Imports an ES module, or CommonJS as one. */
exports.importModule = (url) => import(url);
