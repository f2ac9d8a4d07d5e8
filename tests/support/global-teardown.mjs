// Jest loads global-teardown.ts with Node's own require, which does not resolve `.js` to `.ts`; tsx does.
import { tsImport } from 'tsx/esm/api';

export default async (...args) => (await tsImport('./global-teardown.ts', import.meta.url)).default(...args);
