/** Names of devices in the language of the page. Only hints: a client can send any user agent. */
import type { DeviceInfo } from '../../domain/session.js';
import { givenName, readUserAgent } from '../../domain/device-name.js';
import type { Html } from '../../html/html.js';
import { icons } from '../icons.js';
import { accountIcons } from './icons.js';
import type { AccountVisit } from './page.js';

/** Returns a name such as `Firefox on Linux`. Undefined if the browser and the system are unknown. */
export function clientOf({ words }: AccountVisit, userAgent: string): string | undefined {
  const { client, system } = readUserAgent(userAgent);
  if (client !== undefined && system !== undefined) return words.devices.on(client, system);
  return client ?? system;
}

/** Returns the name that the application gave, or that of the client. */
export function deviceName(visit: AccountVisit, device: DeviceInfo): string {
  return givenName(device) ?? clientOf(visit, device.userAgent ?? '') ?? visit.words.devices.unknown;
}

/** Returns the icon of a phone or of a computer. @param client a user agent, or a name made of one. */
export function iconOfClient(client: string): Html {
  return /Android|iPhone|Mobile/.test(client) ? icons.phone : accountIcons.devices;
}
