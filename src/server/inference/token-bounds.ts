/** What a provider's template adds around one message or prompt, in tokens. */
export const templateTokens = 64;

/** Hardly any tokenizer makes longer tokens than this on average. */
export const bytesPerTokenMax = 6;

/** Texts hardly have more tokens than a third of their bytes. */
export const bytesPerToken = 3;

/** An image, a sound or a file costs at most about so many tokens; its bytes do not count. */
export const mediaTokens = 20_000;
