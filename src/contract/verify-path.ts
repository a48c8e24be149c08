/** The page that verifies proofs in the browser. In a file of its own, because pages of the console load it. */
export const verifyPath = "/verify";
