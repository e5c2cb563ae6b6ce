import { type Redact, redactAll } from "../secrets/redact.ts";
import type { AuditResult } from "../task/task-events.ts";
import { createPassedOver } from "./passed-over.ts";

/**
 * Findings without secrets. A suggestion with a mask in it would break a file with one click, and no file is called like
 * that: where one would have to stand, there is none, and people are told.
 */
export function redactFindings(result: AuditResult, redact: Redact): AuditResult {
  const passed = createPassedOver();
  const findings = result.findings.map((finding) => {
    const { file, suggestion } = finding;
    const clean = redactAll(finding, redact);
    if (clean.file !== file) {
      passed.count("secret-path");
      return { ...clean, file: null, line: null, endLine: null, suggestion: null };
    }
    if (clean.suggestion === suggestion) return clean;
    passed.count("secret-suggestion");
    return { ...clean, suggestion: null };
  });
  const clean = redactAll({ ...result, findings: [] }, redact);
  return { ...clean, findings, notes: [...clean.notes, ...passed.notes()] };
}
