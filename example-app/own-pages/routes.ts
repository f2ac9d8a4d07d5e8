/**
 * Your own sign-in page, on the client, for applications that do not want the pages of the package. One screen, to copy:
 * this file has the markup, and browser.ts its behavior.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Router } from 'express';
import { html } from 'svc-auth/pages';
import { page } from '../layout.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export async function ownPages(): Promise<Router> {
  // At start, so that the example needs no build step. In your project, use your build.
  const { outputFiles } = await build({
    entryPoints: [here('browser.ts')],
    outdir: '/own-pages',
    // Its `paths` resolve `svc-auth/client` to the source here. In your project, the package is resolved instead.
    tsconfig: here('tsconfig.json'),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
  });
  const routes = Router();
  for (const { path, contents } of outputFiles) {
    routes.get(`/own-pages/${path.replace(/^.*[\\/]/, '')}`, (_req, res) => {
      res.type('text/javascript').send(Buffer.from(contents));
    });
  }
  routes.get('/own-pages/sign-in', (_req, res) => {
    res.send(page({ title: 'Sign in', script: '/own-pages/browser.js', body: signIn }));
  });
  return routes;
}

const signIn = html`<div class="narrow">
  <h1>Sign in</h1>
  <p class="error" role="alert" id="error"></p>
  <form id="address">
    <label for="email">Email address</label>
    <input id="email" name="email" type="email" autocomplete="username webauthn" required />
    <button>Email me a code</button>
  </form>
  <form id="code" hidden>
    <p>We’ve sent a code to <strong id="sent-to"></strong>.</p>
    <label for="digits">Code</label>
    <input id="digits" name="code" inputmode="numeric" autocomplete="one-time-code" required />
    <button>Sign in</button>
    <button type="button" class="plain" id="other-address">Use another address</button>
  </form>
  <button type="button" class="plain" id="passkey" hidden>Sign in with a passkey</button>
  <a class="button plain" id="google">Continue with Google</a>
  <button type="button" class="plain" id="guest">Continue as guest</button>
</div>`;
