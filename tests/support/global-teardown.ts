/** Runs once after all test files, failed ones included: stops the servers that global-setup.ts started. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.svcAuthStopServers?.();
}
