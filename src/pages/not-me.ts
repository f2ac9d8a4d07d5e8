/** The pages of the link “This wasn't me” of a notice (docs/decisions/notices.md), with the design of the pages. */
import type { Request, Response } from 'express';
import { internals, type ShownNotMe } from '../core/internals.js';
import { notMeWords } from '../core/mail/not-me-words.js';
import { html, type Html } from '../html/html.js';
import { setLinkPageHeaders } from '../pages-kit/page-headers.js';
import type { Assets } from './assets.js';
import { languageMenu } from './language-menu.js';
import { keepLanguage } from '../pages-kit/language-menu.js';
import { documentOf } from './layout.js';
import type { Settings } from './options.js';
import { enter } from './visit.js';

/** A route shows the pages: they are not below the path of the pages, and nothing of the flow is kept. */
export function notMePage(settings: Settings, assets: Assets) {
  const { basePath, languages, service } = settings;
  return async (req: Request, res: Response, { page, proof, language }: ShownNotMe): Promise<Html> => {
    await languages.prepare(req);
    const chosen = language !== null && languages.offered.includes(language) ? language : null;
    const spoken = await languages.ofUser(chosen, languages.ofRequest(req));
    const visit = { ...enter(settings, req, res), ...spoken, base: basePath };
    setLinkPageHeaders(res, []);
    if (chosen !== null) keepLanguage({ req, res, service }, chosen);
    const { name, paths, templates, texts } = visit;
    const mailTexts = await service[internals].languages.textsFor(visit.language);
    const words = notMeWords({ language: visit.language, texts: mailTexts }, name, page);
    const { title, email } = words;
    const [before, after] = words.lead;
    const lead = html`${before}${email !== null && html`<strong><bdi>${email}</bdi></strong>`}${after}`;
    const { submit, ignore } = mailTexts.notMe;
    const isConfirmation = page.step === 'confirm';
    const content = isConfirmation
      ? templates.notMe(visit, { title, lead, submit, ignore, proof })
      : templates.message(visit, {
          ...{ title, lead, links: [{ path: paths.signIn, label: texts.back }] },
          needsSupport: page.step === 'ended' || page.next === 'address_changed',
        });
    const body = templates.card(visit, {
      content,
      languageMenu: isConfirmation ? languageMenu(visit, proof) : null,
    });
    const bodyClass = visit.slots.signInAside ? 'split' : '';
    return documentOf(visit, assets, { title, hasScript: false }, bodyClass, body);
  };
}
