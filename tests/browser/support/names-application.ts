/** The application of tests/support/names-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
export interface NamesApplication {
  origin: string;
  /** The session of an owner who is an administrator and has no name yet. */
  token: string;
  /** The session of a user with an address of 100 characters. */
  longToken: string;
  orgPath: string;
  userPath: string;
  close: () => Promise<void>;
}

export async function startNamesApplication(): Promise<NamesApplication> {
  const application: string = '../../support/names-application.js';
  const loaded = (await import(application)) as { startNamesApplication: () => Promise<NamesApplication> };
  return loaded.startNamesApplication();
}
