/** How much of Loom's process one sandbox can take up. */
export type GatewayLimits = {
  readonly connections: number;
  /** Those that Loom opens for it. */
  readonly farConnections: number;
  readonly headerBytes: number;
  /** Within this time the head of a request, and the whole of one to Loom itself, has to be there. */
  readonly headMs: number;
  /** After this time without a byte in either direction a connection is cut. */
  readonly idleMs: number;
  /** The same for the model, which may think for long before it says the first word. */
  readonly modelIdleMs: number;
  /** So many requests to the model are under way; the next one waits. */
  readonly modelRequests: number;
  /** Of one request to the model: images included, providers take less. */
  readonly modelBodyBytes: number;
  /** For finding a host and for each of its addresses. */
  readonly connectMs: number;
};

export const GATEWAY_LIMITS: GatewayLimits = {
  connections: 512,
  farConnections: 512,
  headerBytes: 64 * 1024,
  headMs: 30_000,
  idleMs: 15 * 60_000,
  modelIdleMs: 60 * 60_000,
  modelRequests: 8,
  modelBodyBytes: 64 * 1024 * 1024,
  connectMs: 15_000,
};
