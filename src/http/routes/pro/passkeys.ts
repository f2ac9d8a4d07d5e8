/** GET /passkeys, DELETE /passkeys/:id, POST /passkeys/register/start|finish, /passkeys/authenticate/start|finish */
import type { RegistrationResponse } from '../../../providers/webauthn/webauthn.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { keepChallenge, takeChallenge } from '../../challenge-cookie.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { giveSession } from '../../signed-in.js';

export function passkeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  const response = z.object({ response: z.looseObject({ id: z.string(), response: z.looseObject({}) }) });

  return [
    endpoint({
      method: 'get',
      path: '/passkeys',
      access: 'session',
      summary: 'Lists your passkeys, oldest first',
      query: pageQuery(z),
      answer: answers.passkeys,
      errors: ['invalid_request'],
      async handle({ req, me, context }) {
        const page = pageOf(req);
        const { credentials, nextCursor } = await service.webauthn.listCredentials(me.id, page, context);
        return { passkeys: credentials, nextCursor };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/passkeys/:id',
      access: 'fresh',
      summary: 'Removes a passkey; your last way to sign in stays',
      answer: answers.ok,
      async handle({ me, param }) {
        await service.webauthn.removeCredential(me.id, param('id'));
        return { ok: true };
      },
    }),
    endpoint({
      method: 'post',
      path: '/passkeys/register/start',
      name: 'passkeys.registerStart',
      access: 'fresh',
      summary: 'Begins the registration of a passkey: options for `navigator.credentials.create`',
      answer: answers.ceremony,
      errors: ['rate_limit_exceeded'],
      async handle({ req, res, me }) {
        const { options, challenge } = await service.webauthn.startRegistration(me.id);
        keepChallenge(service, req, res, challenge);
        return { options };
      },
    }),
    endpoint({
      method: 'post',
      path: '/passkeys/register/finish',
      name: 'passkeys.registerFinish',
      access: 'fresh',
      summary: 'Registers the passkey of the browser’s answer',
      body: response,
      answer: answers.passkey,
      async handle({ req, res, me, body }) {
        const { webauthn } = service;
        const expectedChallenge = takeChallenge(service, req, res, body.response);
        const answer = body.response as unknown as RegistrationResponse;
        const { credential } = await webauthn.finishRegistration({
          userId: me.id,
          response: answer,
          expectedChallenge,
        });
        return { passkey: credential };
      },
    }),
    endpoint({
      method: 'post',
      path: '/passkeys/authenticate/start',
      name: 'passkeys.authenticateStart',
      access: 'open',
      summary: 'Begins a sign-in by passkey: options for `navigator.credentials.get`',
      needs: () => service[internals].existing.webauthn(),
      answer: answers.ceremony,
      errors: ['rate_limit_exceeded'],
      async handle({ req, res, context }) {
        // Without a user: the answer reveals nothing about any account.
        const webauthn = service[internals].existing.webauthn();
        const { options, challenge } = await webauthn.startAuthentication(undefined, context);
        keepChallenge(service, req, res, challenge);
        return { options };
      },
    }),
    endpoint({
      method: 'post',
      path: '/passkeys/authenticate/finish',
      name: 'passkeys.authenticateFinish',
      access: 'open',
      summary: 'Signs in with the browser’s answer',
      needs: () => service[internals].existing.webauthn(),
      body: response,
      answer: answers.user,
      errors: ['token_invalid', 'mfa_required'],
      setsSession: true,
      async handle({ req, res, body, context }) {
        const webauthn = service[internals].existing.webauthn();
        const expectedChallenge = takeChallenge(service, req, res, body.response);
        const answer = { response: body.response as never, expectedChallenge };
        const result = await webauthn.finishAuthentication(answer, context);
        return giveSession(service, req, res, result);
      },
    }),
  ];
}
