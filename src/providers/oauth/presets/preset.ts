/**
 * What a preset contains: all options of a provider except your registration with it. Spread it, then add yours; options after
 * the spread override it.
 */
import type { TokenEndpointAuthMethod } from '../client-secret.js';
import type { MapProfile } from '../profile.js';
import type { FetchUserInfo } from '../user-info.js';

interface PresetBehavior {
  scopes: string[];
  mapProfile?: MapProfile;
  authorizationParams?: Record<string, string>;
  tokenEndpointAuthMethod?: TokenEndpointAuthMethod;
}

/** A provider whose endpoints are discovered. */
export interface OpenIdPreset extends PresetBehavior {
  issuer: string;
}

/** A provider without OpenID. */
export interface OAuthPreset extends PresetBehavior {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
  mapProfile: MapProfile;
  fetchUserInfo?: FetchUserInfo;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
