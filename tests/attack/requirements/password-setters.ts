/** Every route that sets a password, for somebody who is there already: it may be called until it is taken. */
import type { Answer } from '../../support/http-client.js';
import { goodPassword, type Site } from '../../support/http-site.js';
import { mailedReset } from '../../support/people.js';

interface Setter {
  email: string;
  set: (password: unknown) => Promise<Answer>;
}

const change = (site: Site, cookie: string) => (newPassword: unknown) =>
  site.post('/account/password', { currentPassword: goodPassword, newPassword }, { cookie });

export const passwordSetters: readonly [name: string, make: (site: Site) => Promise<Setter>][] = [
  [
    'a signup',
    async (site) => {
      const email = site.address();
      return { email, set: (password) => site.post('/password/signup', { email, password }) };
    },
  ],
  [
    'a first password by signup in one’s own session',
    async (site) => {
      const { email, cookie } = await site.signInByCode();
      return { email, set: (password) => site.post('/password/signup', { email, password }, { cookie }) };
    },
  ],
  [
    'a reset',
    async (site) => {
      const { email } = await site.signUp();
      const token = await mailedReset(site, email);
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
      const email = site.address();
      return { email, set: (password) => site.post('/guest/upgrade', { email, password }, { cookie }) };
    },
  ],
];
