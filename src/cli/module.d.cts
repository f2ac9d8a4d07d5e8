/** The folder of the commands: `src/cli`, or `dist/src/cli` in the package. */
export declare const folder: string;

export declare function importModule(url: string): Promise<unknown>;
