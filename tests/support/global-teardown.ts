/** Runs once after all test files, failed ones included: stops the PostgreSQL that global-setup.ts started. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.svcAuthStopPostgres?.();
}
