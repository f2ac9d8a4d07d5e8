/** Sign-in with a mailed link: what the browser that asked for it shows until the link is opened. */
import { requiredCode } from '../code-input.js';
import { definePage, goTo } from '../page.js';
import { arriveOrOffer } from './passkey-offer.js';
import { mailedView, strong } from './code-view.js';
import { validFor } from '../sent.js';
import { beginWith, mailedPurposes, otherMethodForms } from './methods.js';
import { statusPath } from './status.js';

export const linkPage = definePage({
  path: ({ signIn }) => `${signIn}/link`,
  access: 'open',
  isOffered: ({ link }) => link !== null,
  show(visit, attempt) {
    const { base, features, flow, homeUrl, paths, templates, texts } = visit;
    if (flow.email === undefined) return goTo(paths.signIn);
    const { hasLinkCode: hasCode } = features;
    const { link, linkAndCode } = texts.checkEmail;
    const view = mailedView(visit, attempt, 'link', flow.email);
    const body = templates.link(visit, {
      ...view,
      lead: (hasCode ? linkAndCode : link)(strong(flow.email)),
      hasCode,
      statusUrl: base + paths.signIn + statusPath,
      arriveUrl: flow.next ?? homeUrl,
      expiresIn: validFor(visit, mailedPurposes.link, flow.email, features.linkTtlMs),
    });
    return { title: view.title, body };
  },
  forms: {
    ...otherMethodForms('link'),
    '': {
      access: 'open',
      async submit(values, visit) {
        const { context, features, texts } = visit;
        const email = values.get('email') ?? '';
        const code = requiredCode(values, texts);
        visit.flow.email = email;
        return arriveOrOffer(visit, await features.link!.verifyCode({ email, code }, context));
      },
    },
    again: {
      access: 'open',
      async submit(values, visit) {
        const { email } = visit.flow;
        return email === undefined ? goTo(visit.paths.signIn) : beginWith('link', email, visit, values);
      },
    },
  },
});
