/**
 * What a preset fills in: everything about a provider but your registration with it. Spread it, then add yours; whatever stands behind
 * the spread takes the place of what it says.
 */
import type { MapProfile } from '../profile.js';
import type { FetchUserInfo } from '../user-info.js';

interface PresetBehaviour {
  scopes: string[];
  mapProfile?: MapProfile;
  authorizationParams?: Record<string, string>;
}

/** A provider whose endpoints are discovered. */
export interface OpenIdPreset extends PresetBehaviour {
  issuer: string;
}

/** A provider without OpenID. */
export interface OAuthPreset extends PresetBehaviour {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
  mapProfile: MapProfile;
  fetchUserInfo?: FetchUserInfo;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
