/** The identity providers: a button for each, or a grid of icons with their names if there are many. */
import { html, type Html, type OtherMethods, type TemplatePage } from '../template.js';
import { lastUsed } from './last-used.js';

export function providerList(
  page: TemplatePage,
  { hasManyProviders, providers }: OtherMethods,
): Html | false {
  const { texts } = page;
  return (
    providers.length > 0 &&
    html`<ul class="${hasManyProviders ? 'providers many' : 'providers'}">
      ${providers.map(({ icon, isLastUsed, label, unrememberedUrl, url }) => {
        const name = texts.continueWith(label);
        const content = hasManyProviders
          ? html`${icon} <span aria-hidden="true">${label}</span><span class="hidden">${name}</span>`
          : html`${icon} ${name}`;
        const button = (target: string, choice: Html | null, last = lastUsed(page, isLastUsed)) =>
          html`<a class="button plain" href="${target}" ${choice} ${last?.attribute}
            >${content} ${last?.mark}</a
          >`;
        // The box in the form decides which of the two is shown, without a script.
        return html`<li>
          ${button(url, unrememberedUrl === null ? null : html`data-remember="yes"`)}
          ${unrememberedUrl !== null && button(unrememberedUrl, html`data-remember="no"`, lastUsed(page, isLastUsed, 'last-used-once'))}
        </li>`;
      })}
    </ul>`
  );
}
