/** Sites with `session.bound`, and people who sign in to them. */
import express from 'express';
import type { StorageAdapter } from 'svc-auth';
import type { HttpResponse } from './http-client.js';
import { openSite, validPassword, type Site, type SiteOptions } from './http-site.js';

/** Lifetime of the cookie of a bound session. */
export const ttlMs = 600_000;
/** How long the cookie from before a registration is accepted. */
export const graceMs = 10_000;

/** Returns functions that open sites, which the caller closes after each test. */
export function boundSites() {
  const open: Site[] = [];
  return {
    newSite: async ({ service, ...options }: SiteOptions = {}, adapter?: StorageAdapter): Promise<Site> => {
      const session = { bound: { ttlMs }, cookie: { secure: true }, ...service?.session };
      const site = await openSite(express, adapter, { ...options, service: { ...service, session } });
      open.push(site);
      return site;
    },
    closeSites: async (): Promise<void> => {
      for (const site of open.splice(0)) await site.close();
    },
  };
}

/** Signs up a user, and signs in once more. */
export async function signIn(site: Site, body: object = {}) {
  const email = site.uniqueEmail();
  const { user } = await site.signUp(email);
  const response = await site.post('/password/login', { email, password: validPassword, ...body });
  return { email, userId: (user as { id: string }).id, response, cookie: response.cookie() };
}

export const sessionStatus = async (site: Site, cookie: string) =>
  (await site.get('/session', { cookie })).status;

/** Whether a response sets a session cookie. */
export const setsSession = ({ cookies }: HttpResponse) =>
  cookies.some(({ name, value }) => name === 'svc_session' && value !== '');
