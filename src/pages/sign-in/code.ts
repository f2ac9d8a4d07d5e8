/** Sign-in with a mailed code: the second step, after the address. */
import { requiredCode } from '../code-input.js';
import { definePage, goTo } from '../page.js';
import { arriveOrOffer } from './passkey-offer.js';
import { mailedView, strong } from './code-view.js';
import { beginWith, otherMethodForms } from './methods.js';

export const codePage = definePage({
  path: ({ signIn }) => `${signIn}/code`,
  access: 'open',
  isOffered: ({ code }) => code !== null,
  show(visit, attempt) {
    const { flow, paths, templates, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const view = mailedView(visit, attempt, 'code', flow.email);
    const lead = texts.checkEmail.code(strong(flow.email));
    return { title: view.title, body: templates.code(visit, { ...view, lead }) };
  },
  forms: {
    ...otherMethodForms('code'),
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, texts } = visit;
        const email = values.get('email') ?? '';
        const code = requiredCode(values, texts);
        visit.flow.email = email;
        return arriveOrOffer(visit, await features.code!.verify({ email, code }, context));
      },
    },
    again: {
      access: 'open',
      async submit(values, visit) {
        const { email } = visit.flow;
        return email === undefined ? goTo(visit.paths.signIn) : beginWith('code', email, visit, values);
      },
    },
  },
});
