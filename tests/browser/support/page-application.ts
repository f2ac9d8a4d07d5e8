/** The application of tests/support/page-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
import type { BrandName } from './brand-names.js';
import type { Site } from './site.js';

export interface PageApplicationOptions {
  /** Also asks for the address to be verified and mails codes as the second step; a mail has a link and a code. */
  isStrict?: boolean;
  /** Asks for a proof of work at every sign-up and every mail. */
  challenge?: boolean;
  /** Whether a sign-up has fields of the application. */
  hasFields?: boolean;
  /** The names of further identity providers, at which no one can sign in. */
  providers?: readonly string[];
  /** By default, `localhost`. Chromium finds its subdomains on this machine. */
  host?: string;
  /** By default, a green one without a logo, whose name is Acme. */
  brand?: BrandName;
}

export interface PageApplication extends Site {
  /** The time of the service, in milliseconds since the epoch. */
  now: () => number;
  /** Returns the token of a session of the support, which acts as the user. For an application with fields. */
  impersonate(email: string): Promise<string>;
  /** Of a request that an application makes with the OAuth server of a strict application. */
  consentUrl(): Promise<string>;
  /** The code that a device shows to its user. */
  deviceCode(): Promise<string>;
  /** Gives an application access, as its user would on the page of the consent. */
  connectApp(email: string): Promise<void>;
  advance: (ms: number) => void;
  /** Starts the service again with its storage and its secret. @param options.cookieDomain `session.cookie.domain`; undefined for none. */
  restart: (options: { cookieDomain: string | undefined }) => Promise<void>;
}

export async function startPageApplication(options?: PageApplicationOptions): Promise<PageApplication> {
  const application: string = '../../support/page-application.js';
  const loaded = (await import(application)) as {
    startPageApplication: (options?: PageApplicationOptions) => Promise<PageApplication>;
  };
  return loaded.startPageApplication(options);
}
