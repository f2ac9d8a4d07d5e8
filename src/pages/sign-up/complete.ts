/** The step after a code, a link, a text message or an identity provider that would create an account: the fields of the application. */
import { clearSignUp, readSignUp } from '../../http/sign-up-cookie.js';
import { isServiceError, type ServiceErrorCode } from '../../errors/service-error.js';
import { definePage, goTo, type Visit } from '../page.js';
import { arrive, leave } from '../sign-in/arrive.js';
import { accountHolderOf } from '../sign-in/signed-in.js';
import { fieldsIn, fieldViews, refuseEmptyFields, withFieldErrors } from './fields.js';

const step = 'svc_sign_up_fields';

/** Below the path of the sign-up. */
export const completionPath = '/complete';

export const completeSignUpPage = definePage({
  path: ({ signUp }) => signUp + completionPath,
  access: 'open',
  isOffered: ({ hasSignUpFields }) => hasSignUpFields,
  async show(visit, attempt) {
    const { templates, texts } = visit;
    if (!isWaiting(visit)) return (await accountHolderOf(visit)) ? leave(visit) : goTo(visit.paths.signUp);
    const { title } = texts.signUp.fields;
    return { title, body: templates.completeSignUp(visit, { title, attempt, fields: fieldViews(visit) }) };
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, paths, req, res, service } = visit;
        refuseEmptyFields(values, visit);
        try {
          const token = readSignUp(service, req, undefined, step);
          const input = { token, fields: fieldsIn(values, visit) };
          const result = await withFieldErrors(values, visit, () => service.completeSignUp(input, context));
          clearSignUp(service, req, res, step);
          return arrive(visit, result);
        } catch (error) {
          if (!isServiceError(error) || !endings.has(error.code)) throw error;
          clearSignUp(service, req, res, step);
          const reason = error.code === 'token_invalid' ? 'sign_up_expired' : error.code;
          return goTo(`${paths.signIn}?error=${reason}`);
        }
      },
    },
    cancel: {
      access: 'open',
      // The next user of the browser must not complete the sign-up.
      async submit(_values, { paths, req, res, service }) {
        clearSignUp(service, req, res, step);
        return goTo(paths.signIn);
      },
    },
  },
});

/** After these, the form cannot succeed any more. */
const endings: ReadonlySet<ServiceErrorCode> = new Set(['token_invalid', 'sign_up_disabled', 'email_exists']);

/** Whether the browser has begun a sign-up that lacks its fields. */
function isWaiting({ req, service }: Visit): boolean {
  try {
    return readSignUp(service, req, undefined, step) !== '';
  } catch {
    return false;
  }
}
