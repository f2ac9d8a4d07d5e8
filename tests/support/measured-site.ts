/** A Pro application that records the cost of each request: password verifications, hashes and storage calls. */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import { outbox, smsOutbox, type SmsOutbox } from 'svc-auth/testing';
import { recordCalls } from './describe-adapters.js';
import type { HttpResponse } from './http-client.js';
import { openSite, type Site } from './http-site.js';
import { proProviders } from './make-pro-service.js';
import type { Overrides } from './make-service.js';
import { countingHasher } from './password-accounts.js';

export interface RequestCost {
  status: number;
  verified: number;
  hashed: number;
  /** Storage calls in order, including those after the response. */
  storageCalls: string[];
  /** Storage calls before the response was written. */
  callsBeforeResponse: string[];
}

export interface MeasuredSite {
  site: Site;
  sms: SmsOutbox;
  /** Returns the cost of a request, background work included. */
  costOf: (request: () => Promise<HttpResponse>) => Promise<RequestCost>;
}

export async function openMeasuredSite(
  adapter: StorageAdapter,
  overrides: Overrides = {},
): Promise<MeasuredSite> {
  const calls: string[] = [];
  let callsBeforeResponse: string[] = [];
  const { hasher, hashed, verified } = countingHasher();
  const sms = smsOutbox();
  const mail = outbox();
  const site = await openSite(express, adapter, {
    pro: true,
    wrapAdapter: (real) => recordCalls(real, calls),
    before: (app) =>
      app.use((_req, res, next) => {
        const end = res.end.bind(res) as (...args: unknown[]) => typeof res;
        res.end = (...args: unknown[]) => {
          callsBeforeResponse = [...calls];
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
        phoneOtp: { sender: sms },
        ...overrides.providers,
      },
    },
  });

  async function costOf(request: () => Promise<HttpResponse>): Promise<RequestCost> {
    await site.settle();
    for (const list of [calls, hashed, verified]) list.length = 0;
    const { status } = await request();
    await site.settle();
    // A hash of another form would have another cost.
    for (const { hash } of verified) expect(hash).toMatch(/^cheap\$[0-9a-f]{64}$/);
    const storageCalls = calls.filter((call) => call !== 'close');
    return { status, verified: verified.length, hashed: hashed.length, storageCalls, callsBeforeResponse };
  }

  return { site, sms, costOf };
}
