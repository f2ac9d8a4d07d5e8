/** Runs `work` while no other tab of this origin does, if the browser has locks (Web Locks API). */
export async function withLock(name: string, work: () => Promise<void>): Promise<void> {
  const { navigator } = globalThis as {
    navigator?: { locks?: { request(name: string, work: () => Promise<void>): Promise<void> } };
  };
  return navigator?.locks ? navigator.locks.request(name, work) : work();
}
