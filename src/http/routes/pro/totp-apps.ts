/** The caller's authenticator apps. */
import { newAppInput, renamedAppInput } from '../../../providers/totp/inputs.js';
import { endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { continueSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.totp;

export const listApps = endpoint({
  name: 'totp.apps',
  access: 'session',
  summary: 'Lists your authenticator apps, the first one first',
  response: responses.totpApps,
  errors: ['encryption_required'],
  requires,
  handle: async ({ service, me, context }) => ({ apps: await service.totp.listApps(me.id, context) }),
});

export const addApp = endpoint({
  name: 'totp.addApp',
  access: 'recent',
  summary:
    'Confirms an enrollment as another authenticator app. The first one enables the second factor. Ends every other session',
  body: () => newAppInput().omit({ userId: true }),
  response: responses.newTotpApp,
  errors: ['code_invalid', 'code_not_found', 'max_attempts_exceeded', 'encryption_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, body, context }) {
    const { session, ...added } = await service.totp.addApp({ ...body, userId: me.id }, context);
    continueSession(service, req, res, { user: me, session });
    return added;
  },
});

export const renameApp = endpoint({
  name: 'totp.renameApp',
  access: 'no-impersonation',
  summary: 'Changes the name of one of your authenticator apps',
  body: () => renamedAppInput().pick({ name: true }),
  response: responses.ok,
  errors: ['encryption_required'],
  requires,
  async handle({ service, me, body, context, param }) {
    await service.totp.renameApp({ userId: me.id, id: param('id'), name: body.name }, context);
    return { ok: true };
  },
});

export const removeApp = endpoint({
  name: 'totp.removeApp',
  access: 'recent',
  summary: 'Removes an authenticator app. The last one disables the second factor. Ends every other session',
  response: responses.ok,
  errors: ['encryption_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, param, context }) {
    const input = { userId: me.id, id: param('id') };
    const { session } = await service.totp.removeApp(input, context);
    continueSession(service, req, res, { user: me, session });
    return { ok: true };
  },
});
