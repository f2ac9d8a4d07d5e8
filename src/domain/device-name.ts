/** Names of devices. Only a hint: a client can send any user agent. */
import { withoutDirections } from './name.js';
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
  return withoutDirections(device.name ?? '').trim() || (clientName(device) ?? 'Unknown device');
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
