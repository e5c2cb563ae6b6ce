export class AccessLost extends Error {
  readonly reason: "removed" | "suspended" | "repository-gone";
  constructor(reason: "removed" | "suspended" | "repository-gone", options: { cause?: unknown } = {}) {
    super(`Loom has no access any more: ${reason}`, options);
    this.name = "AccessLost";
    this.reason = reason;
  }
}
