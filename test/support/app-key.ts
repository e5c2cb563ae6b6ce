import { inject } from "vitest";
import type { KeyPair } from "../../playground/model/apps/create-app.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly appKey: KeyPair;
  }
}

/** One key for every App of every test: making one takes longer than most tests do. */
export const APP_KEY: KeyPair = inject("appKey");
