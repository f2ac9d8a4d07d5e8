/** A change by an administrator who is blocked, signed out everywhere, deleted, or loses the role between the check and the change. */
import { storageHook } from '../../support/pause-points.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import {
  activeRecords,
  adminScenes,
  createRecords,
  enableTotp,
  everything,
  remove,
  type Records,
  type Scene,
} from './admin-scenes.js';
import { expectError } from './expect.js';

type Change = (scene: Scene, records: Records) => Promise<HttpResponse>;

const removal =
  (kind: keyof Records): Change =>
  ({ site, options, path }, records) =>
    remove(site, `${path}/${kind}/${records[kind]}`, options);

const post =
  (action: string, body?: object): Change =>
  ({ site, options, path }) =>
    site.post(`${path}/${action}`, body, options);

/** By action: the storage method that makes the change, and a request that would succeed. */
const changes: Record<string, [verb: string, change: Change]> = {
  'users.create': [
    'userAdministration.insert',
    ({ site, options }) => site.post('/admin/users', { roles: ['overtaken'] }, options),
  ],
  'users.invite': [
    'userAdministration.insert',
    ({ site, options }) =>
      site.post('/admin/users/invite', { email: site.uniqueEmail(), roles: ['overtaken'] }, options),
  ],
  'users.update': [
    'userAdministration.update',
    ({ site, options, path }) => site.send('PATCH', path, { metadata: { plan: 'pro' } }, options),
  ],
  'users.setPassword': ['userAdministration.setPassword', post('password', { password: validPassword })],
  'users.signOut': ['sessions.revokeAll', post('sign-out')],
  lockdown: [
    'lockdowns.start',
    ({ site, options, path }) =>
      site.post('/admin/lockdown', { userId: path.replace('/admin/users/', '') }, options),
  ],
  'users.block': ['userAdministration.block', post('block', {})],
  'users.unblock': ['userAdministration.unblock', post('unblock')],
  'users.identities.remove': ['identities.unlink', removal('identities')],
  'users.passkeys.remove': ['credentials.remove', removal('passkeys')],
  'users.apiKeys.remove': ['apiKeys.revoke', removal('api-keys')],
  'users.orgs.removeMember': ['orgs.changeMember', removal('orgs')],
  'users.totp.disable': ['totp.disable', ({ site, options, path }) => remove(site, `${path}/totp`, options)],
  'users.remove': ['accounts.deleteUser', ({ site, options, path }) => remove(site, path, options)],
};

const ends: [string, number, string, (scene: Scene) => Promise<unknown>][] = [
  ['is blocked', 401, 'token_invalid', ({ site, me }) => site.service.users.block(me.user.id)],
  [
    'is signed out everywhere',
    401,
    'token_invalid',
    ({ site, me }) => site.service.users.signOut(me.user.id),
  ],
  ['is deleted', 401, 'token_invalid', ({ site, me }) => site.service.account.deleteUser(me.user.id)],
  [
    'loses the role',
    403,
    'not_authorized',
    ({ site, me }) => site.service.users.update(me.user.id, { roles: [] }),
  ],
];

export function adminOvertaken(open: OpenSite): void {
  const { scene } = adminScenes(open);

  describe('a change by an administrator that another change overtakes', () => {
    it.each(Object.entries(changes))(
      '%s changes nothing if the administrator is blocked, signed out everywhere, deleted, or loses the role in the meantime',
      async (action, [verb, change]) => {
        for (const [end, status, code, act] of ends) {
          const once = storageHook('before', verb);
          const here = await scene({ wrapAdapter: once.wrapAdapter, service: everything() });
          const { site, target } = here;
          const userId = target.user.id as string;
          await enableTotp(site, userId);
          if (action === 'users.unblock') await site.service.users.block(userId);
          else await site.service.users.unblock(userId);
          const records: Records =
            action === 'users.unblock' ? ({} as Records) : await createRecords(site, userId);
          const state = async () => [
            await site.service.users.get(userId),
            await activeRecords(site, userId),
            await site.service.users.list({ role: 'overtaken' }),
          ];
          const before = await state();
          once.run = () => act(here);
          const response = await change(here, records);
          expect([end, response.status, response.json.error]).toEqual([end, status, code]);
          expectError(response, status, code);
          expect(await state()).toEqual(before);
        }
      },
    );
  });
}
