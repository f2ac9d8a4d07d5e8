/** Devices: lists them and signs them out. */
import { auth } from '../auth.js';
import { day, el, get, say } from '../dom.js';
import { onClick, onSubmit } from '../forms.js';
import { liveList } from '../list.js';

/**
 * @param onOthersRevoked is called when every other device and every app has been signed out.
 * @returns a function that reloads the list.
 */
export function startDevices(
  onOthersRevoked: () => Promise<unknown> = async () => undefined,
): () => Promise<void> {
  const refresh = liveList(
    get('device-list'),
    async () => (await auth.devices.list()).devices,
    ({ id, device, lastSeenAt, current }) => {
      const revoke = el(
        'button',
        { type: 'button', class: 'quiet danger', 'data-busy': 'Signing out…' },
        'Sign out',
      );
      const name = device.name ?? nameOf(device.userAgent ?? '');
      revoke.setAttribute('aria-label', `Sign out ${name}`);
      onClick(revoke, async () => {
        await auth.devices.revoke(id);
        await refresh();
        say('Device signed out.');
      });
      const here = el('span', { class: 'badge good' }, 'this device');
      const lastSeen = el(
        'span',
        { class: 'soft' },
        `${device.ip ?? ''} · last seen `,
        day(lastSeenAt, true),
      );
      return el(
        'li',
        {},
        el('p', {}, el('strong', {}, name), ' ', current && here, el('br'), lastSeen),
        !current && revoke,
      );
    },
  );
  onSubmit(get<HTMLFormElement>('revoke-others'), async () => {
    await auth.devices.revokeOthers();
    await Promise.all([refresh(), onOthersRevoked()]);
    say('Signed out everywhere else.');
  });
  void refresh();
  return refresh;
}

/** Returns a name such as `Firefox on Linux`. It is only a hint: a client can send any user agent. */
function nameOf(userAgent: string): string {
  const find = (names: Record<string, RegExp>) =>
    Object.entries(names).find(([, sign]) => sign.test(userAgent))?.[0];
  const browser = find({ Edge: /Edg/, Firefox: /Firefox/, Chrome: /Chrome/, Safari: /Safari/, curl: /curl/ });
  const system = find({
    Android: /Android/,
    iOS: /iPhone|iPad/,
    Windows: /Windows/,
    macOS: /Mac/,
    Linux: /Linux/,
  });
  return [browser ?? 'Unknown client', system].filter(Boolean).join(' on ');
}
