/** A Pro application that notes what each request costs: verifications of passwords, hashes, and calls of the storage. */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox, type SmsOutbox } from 'svc-auth/testing';
import { noting } from './describe-adapters.js';
import type { Answer } from './http-client.js';
import { openSite, type Site } from './http-site.js';
import { proProviders } from './make-pro-service.js';
import type { Overrides } from './make-service.js';
import { countingHasher } from './password-accounts.js';

export interface Work {
  status: number;
  verified: number;
  hashed: number;
  /** Methods of the storage in their order, those after the answer included. */
  storage: string[];
  /** Those that were called before the answer was written. */
  beforeAnswer: string[];
}

export interface WatchedSite {
  site: Site;
  texts: SmsOutbox;
  /** What a request costs, with all that it leaves for later. */
  workOf: (request: () => Promise<Answer>) => Promise<Work>;
}

export async function openWatchedSite(
  adapter: StorageAdapter,
  overrides: Overrides = {},
): Promise<WatchedSite> {
  const calls: string[] = [];
  let beforeAnswer: string[] = [];
  const { hasher, hashed, verified } = countingHasher();
  const texts = smsOutbox();
  const mail = outbox();
  const site = await openSite(express, adapter, {
    pro: true,
    wrapAdapter: (real) => noting(real, calls),
    before: (app) =>
      app.use((_req, res, next) => {
        const end = res.end.bind(res) as (...args: unknown[]) => typeof res;
        res.end = (...args: unknown[]) => {
          beforeAnswer = [...calls];
          return end(...args);
        };
        next();
      }),
    service: {
      mail,
      encryptionKey: 'an encryption key of the tests, 32 bytes or more',
      ...overrides,
      providers: {
        ...proProviders,
        totp: true,
        account: { sender: mail },
        emailPassword: { hasher },
        phoneOtp: { sender: texts },
        ...overrides.providers,
      },
    },
  });

  async function workOf(request: () => Promise<Answer>): Promise<Work> {
    await site.settle();
    for (const list of [calls, hashed, verified]) list.length = 0;
    const { status } = await request();
    await site.settle();
    // Against a hash of the right form, or it would be the wrong cost.
    for (const { hash } of verified) expect(hash).toMatch(/^cheap\$[0-9a-f]{64}$/);
    const storage = calls.filter((call) => call !== 'close');
    return { status, verified: verified.length, hashed: hashed.length, storage, beforeAnswer };
  }

  return { site, texts, workOf };
}
