/** What single things cost, measured on this machine; milliseconds of CPU. */
export type Costs = {
  readonly redis: {
    readonly append: number;
    readonly load: number;
    /** To ask for a job that is asked for already. */
    readonly enqueue: number;
    /** To ask for a job, take it, and end it. */
    readonly job: number;
    /** What else it did for a stage of a real service: leases, notes, deliveries, and looks that found nothing. */
    readonly rest: number;
  };
  readonly worker: {
    readonly append: number;
    readonly load: number;
    /** To check, parse and fold one event. */
    readonly event: number;
    /** To parse the plan of a run that is read for the first time, for each stage. */
    readonly planEach: number;
    readonly job: number;
    readonly decide: number;
    /** For each stage of the run. */
    readonly decideEach: number;
    /** All that a worker does for a stage besides, its git included: trees, commits, pull requests, what people see. */
    readonly stage: number;
    /** The part of it for which git lets nobody else in. */
    readonly mirror: number;
  };
  /** What the App does for a stage: it takes webhooks and shows how things stand. */
  readonly app: number;
};

/** What is taken for granted, and not measured. */
export type World = {
  readonly workers: number;
  /** Agents at a time on each. */
  readonly slots: number;
  readonly runs: number;
  /** Stages side by side, and one after the other, in each run. */
  readonly wide: number;
  readonly deep: number;
  /** Runs are spread over so many, each with an installation of its own. */
  readonly repositories: number;
  /** In the middle: each takes between half of it and half as much again. */
  readonly agentMs: number;
  /** The checks of a stage, and of a train. */
  readonly gateMs: number;
  /** Until GitHub has answered. */
  readonly githubMs: number;
  /** Requests for each stage: that make content, other writes, reads besides those of the sweep. */
  readonly content: number;
  readonly writes: number;
  readonly reads: number;
};
