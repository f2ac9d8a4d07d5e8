/**
 * GitLab, the one at gitlab.com or your own (https://docs.gitlab.com/integration/openid_connect_provider/). Tick the scopes `openid`, `email` and
 * `profile` in the application's settings. On an instance that does not have addresses confirmed, GitLab calls them verified
 * all the same: leave `linking` at `explicit` there, and have `mapProfile` return `emailVerified: false`.
 */
import { checkOptions, httpUrl } from '../../../errors/options.js';
import type { OpenIdPreset } from './preset.js';

/** @param options.url of your own instance; default `https://gitlab.com`. @throws ConfigError for an unknown option. */
export function gitlab(options: { url?: string } = {}): OpenIdPreset {
  checkOptions('gitlab(…)', options, ['url']);
  const { url = 'https://gitlab.com' } = options;
  httpUrl('gitlab(…).url', url);
  // The issuer is compared as text with what GitLab signs, which has no slash at its end.
  return { issuer: url.replace(/\/+$/, ''), scopes: ['openid', 'email', 'profile'] };
}
