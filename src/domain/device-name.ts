/** Names of devices. Only a hint: a client can send any user agent. */
import { isVisible, withoutDirections } from './name.js';
import type { DeviceInfo } from './session.js';

const clients = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser/],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrome|CriOS/],
  ['Safari', /Safari/],
  ['curl', /^curl/],
] as const;

const systems = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
] as const;

/** Returns the name that the application gave, or one such as `Firefox on Linux`. */
export function deviceName(device: DeviceInfo): string {
  return givenName(device) ?? clientName(device) ?? 'Unknown device';
}

/** Returns the name that the application gave, without what would reorder the text around it. Null if a reader sees nothing of it. */
export function givenName({ name = '' }: DeviceInfo): string | null {
  return isVisible(name) ? withoutDirections(name).trim() : null;
}

/** Returns the browser and the system of a user agent, such as `Firefox on Linux`. Null if both are unknown. */
export function clientName({ userAgent = '' }: DeviceInfo): string | null {
  const { client, system } = readUserAgent(userAgent);
  if (client === undefined && system === undefined) return null;
  return [client ?? 'Unknown browser', system].filter(Boolean).join(' on ');
}

/** Returns the browser and the system, as far as the user agent names them. Only a hint: a client can send any user agent. */
export function readUserAgent(userAgent: string): { client?: string; system?: string } {
  const find = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, sign]) => sign.test(userAgent))?.[0];
  const [client, system] = [find(clients), find(systems)];
  return { ...(client !== undefined && { client }), ...(system !== undefined && { system }) };
}
