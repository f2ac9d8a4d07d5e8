/** Where sign-ins with a link or an identity provider end: it forwards to the page that was asked for. */
import type { Page } from '../page.js';
import { leave } from './arrive.js';

export const donePage: Page = {
  path: ({ signIn }) => `${signIn}/done`,
  isOffered: () => true,
  show: (visit) => leave(visit),
};
