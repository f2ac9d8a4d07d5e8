/** An invite to an organization: who invites, and what the visitor can do. */
import { form, html, type Html, type JoinView, type TemplatePage } from '../template.js';

export function join(page: TemplatePage, view: JoinView): Html {
  const { base, homeUrl, name, paths, texts } = page;
  const { currentEmail, inviter, step } = view;
  const fields = [html`<input type="hidden" name="token" value="${view.token}" />`];
  const decline = () =>
    form(page, { action: `${paths.join}/decline`, submit: texts.join.decline, fields, kind: 'plain' });
  const next = {
    signIn: () => html`<a class="button primary" href="${base}${view.signInPath}">${texts.join.signIn}</a>`,
    accept: () =>
      html`${form(page, { action: paths.join, attempt: view.attempt, submit: texts.join.accept, fields })}
      ${decline()}`,
    change: () =>
      html`${currentEmail !== null && html`<p>${texts.join.notYours(html`<strong><bdi>${currentEmail}</bdi></strong>`)}</p>`}
      ${form(page, { action: `${paths.join}/change`, submit: texts.join.change, fields })}`,
    verify: () =>
      html`<p>${texts.account.errors.unverified}</p>
        ${form(page, {
          action: `${paths.join}/verify`,
          attempt: view.attempt,
          submit: texts.account.profile.verify,
          fields,
        })}`,
  };
  // The account that is signed in cannot accept, and stays as it is.
  const isOther = step === 'change' || step === 'verify';
  const organization = html`<strong><bdi>${view.organization}</bdi></strong>`;
  return html`<h1>${view.title}</h1>
    <p class="lead">
      ${texts.join.lead(view.role, organization, inviter === null ? null : html`<bdi>${inviter}</bdi>`)}
    </p>
    ${step !== 'accept' && html`<p class="lead">${texts.join.to(html`<bdi>${view.email}</bdi>`)}</p>`}
    ${next[step]()}
    ${isOther && html`<p class="below"><a href="${homeUrl}">${texts.notices.home(name)}</a></p>`}`;
}
