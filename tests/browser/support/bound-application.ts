/** The application of tests/support/bound-application.ts, loaded by a path that the compiler does not follow, as link-site.ts does. */
export interface BoundRequest {
  method: string;
  path: string;
  status: number;
  headers: Record<string, unknown>;
}

export interface BoundApplication {
  origin: string;
  /** With which Chromium finds the application, accepts its certificate, and binds sessions to keys in software. */
  flags: string[];
  /** Every request so far, in order. */
  requests: BoundRequest[];
  signUp: (email: string, password: string) => Promise<void>;
  close: () => Promise<void>;
}

/** @param options.bound whether `session.bound` is set. */
export async function startBoundApplication(
  ttlMs: number,
  options: { bound?: boolean } = {},
): Promise<BoundApplication> {
  const application: string = '../../support/bound-application.js';
  const loaded = (await import(application)) as {
    startBoundApplication: (ttlMs: number, options: { bound?: boolean }) => Promise<BoundApplication>;
  };
  return loaded.startBoundApplication(ttlMs, options);
}
