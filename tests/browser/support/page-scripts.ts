/** The requests that a script of the application sends from a page, with the cookies of the browser. */
import type { Page } from 'playwright-core';

interface Answer {
  user?: { id: string; email: string };
  error?: string;
}

/** Sends a request to a JSON route. @param body of a POST; without one, the request is a GET. */
export async function send(page: Page, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  };
  return page.evaluate(
    async ([url, options]) => {
      const response = await fetch(url, options);
      return { status: response.status, ...((await response.json()) as Answer) };
    },
    [`/api/auth${path}`, init] as const,
  );
}

/** Whom the next request is from. */
export async function sessionOf(page: Page) {
  const { status, user } = await send(page, '/session');
  return { status, email: user?.email };
}
