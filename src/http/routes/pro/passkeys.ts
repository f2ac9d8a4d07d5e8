/** GET /passkeys, DELETE /passkeys/:id, POST /passkeys/register/start|finish, /passkeys/authenticate/start|finish */
import type { AuthenticationResponse, RegistrationResponse } from '../../../providers/webauthn/webauthn.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { keepChallenge, takeChallenge } from '../../challenge-cookie.js';
import { giveSession } from '../../signed-in.js';

export function passkeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  const response = z.object({ response: z.looseObject({ id: z.string(), response: z.looseObject({}) }) });

  return [
    endpoint({
      method: 'get',
      path: '/passkeys',
      access: 'session',
      summary: 'Your passkeys, oldest first',
      answer: answers.passkeys,
      handle: async ({ me }) => ({ passkeys: await service.webauthn.listCredentials(me.id) }),
    }),
    endpoint({
      method: 'delete',
      path: '/passkeys/:id',
      access: 'fresh',
      summary: 'Removes a passkey; your last way to sign in stays',
      answer: answers.ok,
      async handle({ me, param }) {
        const { identities, webauthn } = service;
        await webauthn.removeCredential(me.id, param('id'), (left) => identities.letsIn(left));
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
      answer: answers.ceremony,
      errors: ['rate_limit_exceeded'],
      async handle({ req, res, context }) {
        // For whoever has a passkey: nothing is told of any account.
        const { options, challenge } = await service.webauthn.startAuthentication(undefined, context);
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
      body: response,
      answer: answers.user,
      errors: ['token_invalid', 'mfa_required'],
      setsSession: true,
      async handle({ req, res, body, context }) {
        const { webauthn } = service;
        const expectedChallenge = takeChallenge(service, req, res, body.response);
        const answer = body.response as unknown as AuthenticationResponse;
        const result = await webauthn.finishAuthentication({ response: answer, expectedChallenge }, context);
        return giveSession(service, req, res, result);
      },
    }),
  ];
}
