/**
 * Microsoft Entra ID, and personal accounts (https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc). The administrator of any
 * tenant can write any address into `email`, and applications that believed it were taken over ("nOAuth"). So an address counts as verified
 * only with the optional claim `xms_edov`: the owner of its domain is verified. Add both claims, `email` and `xms_edov`, to the ID token in the
 * registration of your application.
 */
import { checkOptions, refuseOption } from '../../../errors/options.js';
import { textOf, type OpenIdPreset } from './preset.js';

/**
 * @param options.tenant the id of one, or `organizations`, `consumers`, or `common` for all of them, which is the default. For the latter the
 * issuer of an ID token depends on the person's tenant; openid-client puts its `tid` into the announced template.
 * @throws ConfigError for an unknown option, and for an empty tenant, as of a variable that is not set.
 */
export function microsoft(options: { tenant?: string } = {}): OpenIdPreset {
  checkOptions('microsoft(…)', options, ['tenant']);
  // Not the default of destructuring: an unset variable would let every tenant in.
  const tenant: unknown = 'tenant' in options ? options.tenant : 'common';
  if (typeof tenant !== 'string' || tenant === '')
    refuseOption('microsoft(…).tenant', 'must be the id of a tenant');
  return {
    issuer: `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/v2.0`,
    scopes: ['openid', 'email', 'profile'],
    mapProfile: (raw) => ({
      id: raw['sub'] as string,
      email: textOf(raw['email']),
      emailVerified: isTrue(raw['xms_edov']),
      name: textOf(raw['name']),
      // The claim is an address of an API that wants a token, no picture for a page.
      picture: null,
    }),
  };
}

/** Optional claims come as a boolean, a number or a text, depending on who issues the token. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}
