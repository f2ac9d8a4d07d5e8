/** The page that asks for a confirmation before a mailed link signs in (docs/decisions/link-confirmation.md), with the design of the pages. */
import type { Request, Response } from 'express';
import type { Html } from '../html/html.js';
import type { LinkPage } from '../core/internals.js';
import { setLinkPageHeaders } from '../pages-kit/page-headers.js';
import type { Assets } from './assets.js';
import { languageMenu } from './language-menu.js';
import { keepLanguage } from '../pages-kit/language-menu.js';
import { documentOf } from './layout.js';
import type { Settings } from './options.js';
import { enter } from './visit.js';

/** A route shows the page: it is not below the path of the pages, and nothing of the flow is kept. */
export function linkConfirmationPage(settings: Settings, assets: Assets) {
  const { basePath, languages, service } = settings;
  return async (
    req: Request,
    res: Response,
    { email, proof, formTargets, language }: LinkPage,
  ): Promise<Html> => {
    await languages.prepare(req);
    const chosen = language !== null && languages.offered.includes(language) ? language : null;
    const spoken = await languages.ofUser(chosen, languages.ofRequest(req));
    const visit = { ...enter(settings, req, res), ...spoken, base: basePath };
    setLinkPageHeaders(res, formTargets);
    if (chosen !== null) keepLanguage({ req, res, service }, chosen);
    const { name, templates, texts } = visit;
    const title = texts.signIn.title(name);
    const content = templates.card(visit, {
      content: templates.linkConfirmation(visit, { title, email, proof }),
      languageMenu: languageMenu(visit, proof),
    });
    const bodyClass = visit.slots.signInAside ? 'split' : '';
    return documentOf(visit, assets, { title, hasScript: false }, bodyClass, content);
  };
}
