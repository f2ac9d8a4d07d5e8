/** A brand of brand-names.ts in a browser: its application, and a person in front of it. */
import type { Browser } from 'playwright-core';
import { brandLanguages, type BrandName } from './brand-names.js';
import { textsOf } from './languages.js';
import {
  startPageApplication,
  type PageApplication,
  type PageApplicationOptions,
} from './page-application.js';
import { inboxOf, newAddress, newContext, type Person } from './people.js';

/**
 * @param show is called with the application and a person; both end with it.
 * @param options of the application.
 */
export async function visitBrand(
  browser: Browser,
  brand: BrandName,
  deviceScaleFactor: number,
  show: (site: ReturnType<typeof inboxOf> & { site: () => PageApplication }, ada: Person) => Promise<void>,
  options: PageApplicationOptions = { isStrict: true },
): Promise<void> {
  const application = await startPageApplication({ brand, ...options });
  try {
    const language = brandLanguages[brand];
    const context = await newContext(browser, application, { language, deviceScaleFactor });
    const person = { context, page: await context.newPage(), email: newAddress(), texts: textsOf[language] };
    const site = () => application;
    await show({ ...inboxOf(site), site }, { ...person, email: 'ada@acme.test' });
    await context.close();
  } finally {
    await application.stop();
  }
}
