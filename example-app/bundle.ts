/** Bundles the front end of ./browser when the server starts, so that nobody has to build anything. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Router } from 'express';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Every page has one entry of its own; what they share comes as shared files. */
const entries = ['early', 'sign-in', 'home', 'account', 'reset', 'join', 'inbox'];

export async function bundledScripts(): Promise<Router> {
  const { outputFiles } = await build({
    entryPoints: entries.map((name) => here(`browser/${name}.ts`)),
    outdir: '/scripts',
    // `paths` of that file lead `svc-auth/client` to its source here; in your project it is the package's.
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
