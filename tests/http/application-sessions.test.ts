/** `startSession`, `endSession` and `tokenFrom`: for applications with their own forms, and clients with other schemes. */
import express, { type Express, type Request, type Response } from 'express';
import {
  asyncRoute,
  endSession,
  optionalSession,
  requireOrgRole,
  requireRole,
  requireSession,
  serviceErrorHandler,
  startSession,
  type RequireSessionOptions,
} from 'svc-auth';
import { openSite, type Site, type SiteOptions } from '../support/http-site.js';
import type { TestService } from '../support/make-service.js';
import { secondFactorOf } from '../support/authenticator-app.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function newSite(options: SiteOptions = {}): Promise<Site> {
  const site = await openSite(express, undefined, { before: forms, ...options });
  open.push(site);
  return site;
}
