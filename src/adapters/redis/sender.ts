/** Sends commands, and stops for a while after a failure, so that requests do not wait for a server that does not respond. */
import { performance } from 'node:perf_hooks';
import type { RedisConnection } from './client.js';

/** How often a server that has failed is asked again. */
const probeMs = 500;

export class RedisSender {
  private isFailing = false;
  private isProbing = false;
  private probedAt = -Infinity;

  /** @param timeoutMs how long a command may take. */
  constructor(
    private readonly connection: RedisConnection,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Rejects at once while the server fails; one PING at a time then finds out whether it responds again, and no request waits for it.
   * A command whose response is late may have been executed.
   */
  async send(command: string, args: readonly (string | number)[]): Promise<unknown> {
    if (this.isFailing) {
      this.probe();
      throw new Error('Redis has failed less than a second ago, or does not respond.');
    }
    try {
      return await this.sendNow(command, args);
    } catch (error) {
      if (!isRefusal(error)) this.fail();
      throw error;
    }
  }

  /** Rejects if the server does not respond now. */
  async ping(): Promise<void> {
    await this.sendNow('PING', []);
  }

  private fail(): void {
    this.isFailing = true;
    this.probedAt = performance.now();
  }

  private probe(): void {
    if (this.isProbing || performance.now() - this.probedAt < probeMs) return;
    this.isProbing = true;
    this.sendNow('PING', [])
      .then(
        () => (this.isFailing = false),
        () => this.fail(),
      )
      .finally(() => (this.isProbing = false));
  }

  private async sendNow(command: string, args: readonly (string | number)[]): Promise<unknown> {
    // Clients queue commands while they are not connected, and would execute them later.
    if (!this.connection.isConnected()) throw new Error('Redis is not connected.');
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      const expire = () => reject(new Error(`Redis did not respond within ${this.timeoutMs} ms.`));
      // After a pause of the process, a response that has arrived is read before the timeout counts.
      timer = setTimeout(() => setImmediate(expire), this.timeoutMs);
    });
    try {
      return await Promise.race([this.connection.send(command, args), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * Responses of a server that works: it does not know a script, or refuses to write, because its memory is full, it is a replica, it
 * cannot save, or it has too few replicas. It still reads, and publishes messages.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(?:NOSCRIPT|OOM|READONLY|MISCONF|NOREPLICAS) /.test(error.message);
}
