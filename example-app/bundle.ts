/** Bundles the front end of ./browser when the server starts, so that no build step is needed. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Router } from 'express';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One entry point per page. esbuild splits shared code into separate files. */
const entries = ['early', 'sign-in', 'home', 'account', 'reset', 'join', 'inbox'];

export async function bundledScripts(): Promise<Router> {
  const { outputFiles } = await build({
    entryPoints: entries.map((name) => here(`browser/${name}.ts`)),
    outdir: '/scripts',
    // Its `paths` resolve `svc-auth/client` to the source here. In your project, the package is resolved instead.
    tsconfig: here('browser/tsconfig.json'),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
  });
  const routes = Router();
  for (const { path, contents, hash } of outputFiles) {
    const etag = `"${hash.replace(/[^\w+/]/g, '')}"`;
    routes.get(`/scripts/${path.replace(/^.*[\\/]/, '')}`, (_req, res) => {
      res.set({ 'Cache-Control': 'no-cache', ETag: etag });
      res.type('text/javascript').send(Buffer.from(contents));
    });
  }
  return routes;
}
