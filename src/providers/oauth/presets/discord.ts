/**
 * Discord (https://discord.com/developers/docs/topics/oauth2, /resources/user). It does not speak OpenID here. `verified` is about the address, `id` a number of 64 bits in a text,
 * and `avatar` a digest that stands for a picture on its CDN.
 */
import { textOf, type OAuthPreset } from './preset.js';

export function discord(): OAuthPreset {
  return {
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userInfoEndpoint: 'https://discord.com/api/v10/users/@me',
    scopes: ['identify', 'email'],
    mapProfile: (raw) => ({
      id: raw['id'] as string,
      email: textOf(raw['email']),
      emailVerified: raw['verified'] === true,
      name: textOf(raw['global_name']) ?? textOf(raw['username']),
      picture: avatarOf(raw),
    }),
  };
}

function avatarOf({ id, avatar }: Record<string, unknown>): string | null {
  const known = typeof id === 'string' && typeof avatar === 'string' && /^\w{1,100}$/.test(avatar);
  return known ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : null;
}
