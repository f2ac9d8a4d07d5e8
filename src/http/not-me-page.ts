/** The pages of the link “This wasn't me”: those of `svc-auth/pages`, or plain ones. */
import type { Request, Response } from 'express';
import { internals, type ShownNotMe } from '../core/internals.js';
import { notMeWords } from '../core/mail/not-me-words.js';
import type { Service } from '../engine/service.js';
import { html, type Html } from '../html/html.js';
import { plainDocument, setPlainHeaders } from './plain-link-page.js';
import { languageOf } from './request-context.js';

/** Sets the headers of the page, and returns it. */
export async function notMePage(
  service: Service,
  req: Request,
  res: Response,
  shown: ShownNotMe,
): Promise<Html> {
  const pages = service[internals].pageTargets;
  return pages.notMe ? pages.notMe(req, res, shown) : plainPage(service, req, res, shown);
}

async function plainPage(
  service: Service,
  req: Request,
  res: Response,
  { page, proof }: ShownNotMe,
): Promise<Html> {
  const { brand, languages } = service[internals];
  const language = languageOf(service, req);
  const texts = await languages.textsFor(language);
  setPlainHeaders(res, []);
  res.vary('Accept-Language');
  const { title, lead, email } = notMeWords({ language, texts }, brand.name, page);
  const [before, after] = lead;
  const address = email !== null && html`<strong><bdi>${email}</bdi></strong>`;
  const content = html`<h1>${title}</h1>
    <p>${before}${address}${after}</p>
    ${
      page.step === 'confirm' &&
      html`<form method="post">
          <input type="hidden" name="proof" value="${proof}" />
          <button type="submit">${texts.notMe.submit}</button>
        </form>
        <p class="hint">${texts.notMe.ignore}</p>`
    }`;
  return plainDocument({ language, texts }, title, content);
}
