/**
 * The application of tests/support/mailed-links.ts. It is loaded by a path that the compiler does not follow, because the library is
 * not compiled with the types of a browser.
 */
export interface LinkSite {
  /** The application: `/` asks for a link, and `/welcome` shows who is signed in. */
  app: string;
  /** Of the page that shows the newest mail to an address. */
  mailTo: (email: string) => string;
  linkTo: (email: string) => string;
  codeTo: (email: string) => string;
  /** Headers of the POSTs that confirm a link. */
  presses: Record<string, unknown>[];
  close: () => Promise<void>;
}

export async function startLinkSite(): Promise<LinkSite> {
  const application: string = '../../support/mailed-links.js';
  const { startLinkSite: start } = (await import(application)) as { startLinkSite: () => Promise<LinkSite> };
  return start();
}
