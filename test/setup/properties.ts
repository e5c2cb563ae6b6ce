import fc from "fast-check";
import { PROPERTY_RUNS } from "../support/property-runs.ts";

fc.configureGlobal({ numRuns: PROPERTY_RUNS });
