/**
 * The estimate of how hard a new password is to guess, as a separate module that the script loads when the field gets the focus. The
 * password stays in the browser. Without the optional packages there is no estimate.
 */
import { lazily, readPackageFile } from '../runtime/load.js';
import { asset, type Asset } from '../pages-kit/assets.js';

/** The browser builds of both packages set a property of `this`. */
export const passwordEstimator = lazily((): Asset | null => {
  const core = readPackageFile('@zxcvbn-ts/core/dist/zxcvbn-ts.js');
  const words = readPackageFile('@zxcvbn-ts/language-common/dist/zxcvbn-ts.js');
  if (core === null || words === null) return null;
  const source = `const scope = {};
(function () {
${core}
}).call(scope);
(function () {
${words}
}).call(scope);
const { ZxcvbnFactory } = scope.zxcvbnts.core;
const { adjacencyGraphs, dictionary } = scope.zxcvbnts['language-common'];
const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
export const scoreOf = (password, names) => estimator.check(password.slice(0, 100), names).score;
`;
  return asset('password-estimator', 'js', source.replace(/^\/\/# sourceMappingURL=.*$/gm, ''));
});
