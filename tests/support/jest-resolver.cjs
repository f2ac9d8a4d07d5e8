// Source files import each other with the `.js` extension that Node sees; Jest runs the `.ts` file next to it.
const { existsSync } = require('node:fs');
const path = require('node:path');

const installed = `${path.sep}node_modules${path.sep}`;

module.exports = (request, options) => {
  if (/^\.{1,2}\/.*\.js$/.test(request) && !options.basedir.includes(installed)) {
    const source = path.resolve(options.basedir, `${request.slice(0, -3)}.ts`);
    if (existsSync(source)) return source;
  }
  return options.defaultResolver(request, options);
};
