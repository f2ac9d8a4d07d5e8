/** The page for an authorization request that is not answered to its client, with the design of the pages. */
import type { Request, Response } from 'express';
import type { Html } from '../../html/html.js';
import { html } from '../../html/html.js';
import type { RefusedRequest } from '../../core/internals.js';
import type { Assets } from '../assets.js';
import { documentOf } from '../layout.js';
import type { Settings } from '../options.js';
import { enter } from '../visit.js';

/** The OAuth server shows it: it is not below the path of the pages, and nothing of the flow is kept. */
export function refusedRequestPage(settings: Settings, assets: Assets) {
  const { basePath, languages } = settings;
  return async (req: Request, res: Response, refusal: RefusedRequest): Promise<Html> => {
    await languages.prepare(req);
    const visit = { ...enter(settings, req, res), base: basePath };
    const { templates, texts } = visit;
    const { code, detail, host, retryAfterMs, status } = refusal;
    const lead =
      retryAfterMs === undefined
        ? status < 500
          ? texts.consent.ended.lead
          : texts.errors.failed
        : texts.errors.tooMany(Math.max(1, Math.ceil(retryAfterMs / 60_000)));
    const title = texts.errors.failedTitle;
    const technical = detail === undefined ? code : `${code} (${detail})`;
    const content = templates.message(visit, {
      ...{ title, lead, links: [] },
      details: [
        host !== undefined &&
          texts.consent.refused.sends(html`<strong><bdi dir="ltr">${host}</bdi></strong>`),
        texts.consent.refused.code(html`<bdi dir="ltr">${technical}</bdi>`),
      ],
    });
    const bodyClass = visit.slots.signInAside ? 'split' : '';
    const body = templates.card(visit, { content, languageMenu: null });
    return documentOf(visit, assets, { title, status, hasScript: false }, bodyClass, body);
  };
}
