/** The words of the pages of the link “This wasn't me”, which are those of the mails in every language. */
import { aroundAddress, phrase } from './mail-phrases.js';
import type { NotMePage } from './not-me-links.js';
import type { MailTexts } from './texts/en.js';

export interface NotMeWords {
  title: string;
  /** What the page says, before and after the masked address, which is bold. Without an address, all of it is before. */
  lead: readonly [before: string, after: string];
  email: string | null;
}

export function notMeWords(
  language: { language: string; texts: MailTexts },
  app: string,
  page: NotMePage,
): NotMeWords {
  const { notMe } = language.texts;
  if (page.step === 'ended') return { title: notMe.endedTitle, lead: [notMe.ended, ''], email: null };
  const { email } = page;
  if (page.step === 'confirm')
    return { title: notMe.title({ app: phrase(language, app) }), lead: aroundAddress(notMe.lead), email };
  const title = notMe.doneTitle;
  if (page.next === 'reset') return { title, lead: aroundAddress(notMe.doneReset), email };
  const lead = page.next === 'sign_in' ? notMe.doneSignIn : notMe.doneAddressChanged;
  return { title, lead: [lead, ''], email: null };
}
