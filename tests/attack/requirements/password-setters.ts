/** Every route that sets a password, with its prerequisites: `set` can be called until it succeeds. */
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { requestResetToken } from '../../support/site-actions.js';

interface Setter {
  email: string;
  set: (password: unknown) => Promise<HttpResponse>;
}

const change = (site: Site, cookie: string) => (newPassword: unknown) =>
  site.post('/account/password', { currentPassword: validPassword, newPassword }, { cookie });

export const passwordSetters: readonly [name: string, make: (site: Site) => Promise<Setter>][] = [
  [
    'a signup',
    async (site) => {
      const email = site.uniqueEmail();
      return { email, set: (password) => site.post('/password/signup', { email, password }) };
    },
  ],
  [
    'a first password by a signup within a session',
    async (site) => {
      const { email, cookie } = await site.signInByCode();
      return { email, set: (password) => site.post('/password/signup', { email, password }, { cookie }) };
    },
  ],
  [
    'a reset',
    async (site) => {
      const { email } = await site.signUp();
      const token = await requestResetToken(site, email);
      return { email, set: (newPassword) => site.post('/password/reset', { token, newPassword }) };
    },
  ],
  [
    'a change',
    async (site) => {
      const { email, cookie } = await site.signUp();
      return { email, set: change(site, cookie) };
    },
  ],
  [
    'a first password from the account page',
    async (site) => {
      const { email, cookie } = await site.signInByCode();
      return { email, set: (newPassword) => site.post('/account/password', { newPassword }, { cookie }) };
    },
  ],
  [
    'a guest’s upgrade',
    async (site) => {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.uniqueEmail();
      return { email, set: (password) => site.post('/guest/upgrade', { email, password }, { cookie }) };
    },
  ],
];
