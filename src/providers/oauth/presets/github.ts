/**
 * GitHub, for its OAuth apps (https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps). It does not speak
 * OpenID. Addresses, and whether they are verified, are in `GET /user/emails` only: the `email` of `GET /user` is the
 * public address. Logins can be taken over by others after a rename, ids cannot.
 */
import { checkOptions, httpUrl } from '../../../errors/options.js';
import type { FetchUserInfo } from '../user-info.js';
import { textOf, type OAuthPreset } from './preset.js';

/** @param options.url of a GitHub Enterprise Server; default `https://github.com`. @throws ConfigError for an unknown option. */
export function github(options: { url?: string } = {}): OAuthPreset {
  checkOptions('github(…)', options, ['url']);
  const { url = 'https://github.com' } = options;
  const { origin } = httpUrl('github(…).url', url);
  const api = origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
  return {
    authorizationEndpoint: `${origin}/login/oauth/authorize`,
    tokenEndpoint: `${origin}/login/oauth/access_token`,
    userInfoEndpoint: `${api}/user`,
    // Name and picture are public.
    scopes: ['user:email'],
    fetchUserInfo,
    mapProfile(raw) {
      const primary = primaryOf(raw['emails']);
      return {
        id: raw['id'] as number,
        email: textOf(primary?.['email']),
        emailVerified: primary?.['verified'] === true,
        name: textOf(raw['name']) ?? textOf(raw['login']),
        picture: textOf(raw['avatar_url']),
      };
    },
  };
}

// GitHub refuses requests without a user agent.
const headers = { accept: 'application/vnd.github+json', 'user-agent': 'svc-auth' };

// A GitHub App without the permission to read addresses gets no list, and its users no address.
const fetchUserInfo: FetchUserInfo = async ({ endpoint, get, getOptional }) => {
  const [user, emails] = await Promise.all([
    get(endpoint, headers),
    getOptional(`${endpoint}/emails`, headers),
  ]);
  return { ...(user as object), emails };
};

function primaryOf(emails: unknown): Record<string, unknown> | undefined {
  const list = Array.isArray(emails) ? (emails as unknown[]) : [];
  return list
    .filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    .find(({ primary }) => primary === true);
}
