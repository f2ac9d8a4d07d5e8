/** Names of devices. Only a hint: a client can send any user agent. */
import type { DeviceInfo } from '../domain/session.js';
import { readUserAgent } from '../pages-kit/devices.js';

/** Returns the name that the application gave, or one such as `Firefox on Linux`. */
export function deviceName({ name, userAgent = '' }: DeviceInfo): string {
  if (name) return name;
  const { client, system } = readUserAgent(userAgent);
  if (client === undefined && system === undefined) return 'Unknown device';
  return [client ?? 'Unknown browser', system].filter(Boolean).join(' on ');
}
