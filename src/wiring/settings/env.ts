/** A process's environment, as far as it is looked at. */
export type Env = Readonly<Record<string, string | undefined>>;
