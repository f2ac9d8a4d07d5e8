// Jest loads global-teardown.ts with Node's own require, which knows no `.js` ending that means `.ts`; tsx does.
import { tsImport } from 'tsx/esm/api';

export default async (...args) => (await tsImport('./global-teardown.ts', import.meta.url)).default(...args);
