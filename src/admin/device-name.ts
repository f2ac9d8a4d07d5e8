/** Names of devices in the language of the page. Only hints: a client can send any user agent. */
import { givenName, readUserAgent } from '../domain/device-name.js';
import type { DeviceInfo } from '../domain/session.js';
import type { AdminTexts } from './texts/texts.js';

/** Returns the name that the application gave, or one such as `Firefox on Linux`. */
export function deviceName({ devices }: Pick<AdminTexts, 'devices'>, device: DeviceInfo): string {
  const { client, system } = readUserAgent(device.userAgent ?? '');
  const ofAgent =
    client !== undefined && system !== undefined ? devices.on(client, system) : (client ?? system);
  return givenName(device) ?? ofAgent ?? devices.unknown;
}
