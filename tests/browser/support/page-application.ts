/** The application of tests/support/page-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
import type { Site } from './site.js';

export interface PageApplicationOptions {
  /** Also asks for the address to be verified and mails codes as the second step; a mail has a link and a code. */
  isStrict?: boolean;
  /** Asks for a proof of work at every sign-up and every mail. */
  challenge?: boolean;
}

export interface PageApplication extends Site {
  /** The time of the service, in milliseconds since the epoch. */
  now: () => number;
  advance: (ms: number) => void;
}

export async function startPageApplication(options?: PageApplicationOptions): Promise<PageApplication> {
  const application: string = '../../support/page-application.js';
  const loaded = (await import(application)) as {
    startPageApplication: (options?: PageApplicationOptions) => Promise<PageApplication>;
  };
  return loaded.startPageApplication(options);
}
