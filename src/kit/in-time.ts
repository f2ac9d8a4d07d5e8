/** A sender that hangs must not hold a request for ever. */
const sendTimeoutMs = 30_000;

/** What `sending` does, if it does it in time. */
export async function inTime(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The sender did not answer in ${sendTimeoutMs} ms.`)),
      sendTimeoutMs,
    );
  });
  try {
    await Promise.race([sending, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
