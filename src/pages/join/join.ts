/** An invite to an organization, by the link in its mail. */
import { html } from '../../html/html.js';
import { form } from '../form.js';
import { goTo, type Page } from '../page.js';
import { sessionOf } from '../sign-in/signed-in.js';

export const joinPage: Page = {
  path: ({ join }) => join,
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const { base, context, features, paths, query, texts } = visit;
    const token = attempt?.values.get('token') ?? query.get('token') ?? '';
    const preview = await features.orgs!.previewInvite(token, context);
    const session = await sessionOf(visit);
    const { title, lead, accept, signIn } = texts.join;
    const refusal = attempt?.errors.get('');
    const here = `${paths.join}?token=${encodeURIComponent(token)}`;
    const body = html`<h1>${title(preview.organization.name)}</h1>
      <p class="lead">${lead(preview.role, html`<bdi>${preview.email}</bdi>`)}</p>
      ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
      ${
        session
          ? form(visit, {
              action: paths.join,
              submit: accept,
              fields: [html`<input type="hidden" name="token" value="${token}" />`],
            })
          : html`<a
              class="button primary"
              href="${base}${paths.signIn}?next=${encodeURIComponent(base + here)}"
              >${signIn}</a
            >`
      }`;
    return { title: title(preview.organization.name), body };
  },
  forms: {
    async ''(values, visit) {
      const { features, homeUrl, paths } = visit;
      const token = values.get('token') ?? '';
      const session = await sessionOf(visit);
      if (!session) return goTo(`${paths.join}?token=${encodeURIComponent(token)}`);
      await features.orgs!.acceptInvite(token, session.user.id);
      return { to: homeUrl, isOutside: true };
    },
  },
};
