import { NO_AUDIT } from "../../src/wiring/hosted/audit-log.ts";
import { createSeals } from "../../src/wiring/stores/seals.ts";
import { APP_KEY } from "./app-key.ts";

/** Those of the App that all tests have. */
export const SEALS = createSeals({ privateKey: APP_KEY.privateKey }, NO_AUDIT);
