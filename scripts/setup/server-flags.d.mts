export declare const serverFlags: readonly string[];
