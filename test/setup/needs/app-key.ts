import type { TestProject } from "vitest/node";
import { createKeyPair } from "../../../playground/model/apps/create-app.ts";
import { once } from "../once.ts";

export function setup(project: TestProject): void {
  project.provide("appKey", once("app-key", createKeyPair));
}
