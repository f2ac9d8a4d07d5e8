/** The application of tests/support/account-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
export interface AccountApplication {
  origin: string;
  /** The code in the newest mail to an address. */
  codeTo: (email: string) => string;
  /** The code in the newest text message to a number. */
  textTo: (phone: string) => string;
  /** What an authenticator app with this secret shows now. */
  authenticatorCode: (secret: string) => string;
  /** Returns the session token of the user with this address, who is created if there is none. */
  signIn: (email: string) => Promise<string>;
  signInAsGuest: () => Promise<string>;
  close: () => Promise<void>;
}

/** @param templates as `createPages` takes them. @param pages its further options. */
export async function startAccountApplication(
  templates: object = {},
  pages: object = {},
): Promise<AccountApplication> {
  const application: string = '../../support/account-application.js';
  const loaded = (await import(application)) as {
    startAccountApplication: (templates: object, pages: object) => Promise<AccountApplication>;
  };
  return loaded.startAccountApplication(templates, pages);
}
