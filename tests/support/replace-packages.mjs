// With `--import`, replaces packages by those that REPLACED_PACKAGES names as JSON: by null, as if they were not installed.
import Module from 'node:module';

const replaced = JSON.parse(process.env.REPLACED_PACKAGES);
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
  const name = request in replaced ? replaced[request] : request;
  if (name === null)
    throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
  return resolve.call(this, name, ...rest);
};
