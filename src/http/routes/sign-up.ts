/** The end of a sign-up whose proof came before the fields of the application. */
import { completeSignUpInput } from '../../core/sign-ups/sign-up-completion.js';
import { endpoint } from '../endpoint.js';
import { responses } from '../response-schemas.js';
import { clearSignUp, readSignUp } from '../sign-up-cookie.js';
import { startBrowserSession } from '../signed-in.js';

const step = 'svc_sign_up_fields';

export const completeSignUp = endpoint({
  name: 'signUp.complete',
  access: 'open',
  summary:
    'Creates the account of a sign-in that was refused with `fields_required`, with the fields of `signUp.fields`, in the same browser. `token` is that of a client without cookies',
  body: () => completeSignUpInput().partial({ token: true }),
  response: responses.signIn,
  errors: ['token_invalid', 'sign_up_disabled', 'email_exists'],
  setsSession: true,
  async handle({ service, req, res, body, context }) {
    const token = readSignUp(service, req, body.token, step);
    const result = await service.completeSignUp({ ...body, token }, context);
    clearSignUp(service, req, res, step);
    return { ...startBrowserSession(service, req, res, result), created: result.created };
  },
});
