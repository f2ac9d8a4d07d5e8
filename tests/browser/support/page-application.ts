/** The application of tests/support/page-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
export interface PageApplication {
  origin: string;
  /** The code in the newest mail to an address. */
  codeTo: (email: string) => string;
  linkTo: (email: string) => string;
  close: () => Promise<void>;
}

export async function startPageApplication(): Promise<PageApplication> {
  const application: string = '../../support/page-application.js';
  const loaded = (await import(application)) as { startPageApplication: () => Promise<PageApplication> };
  return loaded.startPageApplication();
}
