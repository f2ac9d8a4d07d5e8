/** The pages of the link “This wasn't me”: those of `svc-auth/pages`, or plain ones. */
import type { Request, Response } from 'express';
import { internals, type ShownNotMe } from '../core/internals.js';
import { notMeWords } from '../core/mail/not-me-words.js';
import type { Service } from '../engine/service.js';
import type { Html } from '../html/html.js';
import { plainLinkPage, setPlainHeaders } from './plain-link-page.js';
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
  const { ignore, submit } = texts.notMe;
  return plainLinkPage(
    { language, texts },
    {
      ...notMeWords({ language, texts }, brand.name, page),
      form: page.step === 'confirm' ? { proof, submit, ignore } : null,
    },
  );
}
