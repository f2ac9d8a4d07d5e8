/** Returns the content of a file, by its path below `browser`. */
export declare function browserFile(name: string): string;
