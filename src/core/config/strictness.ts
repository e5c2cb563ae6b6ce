/**
 * How much has to be right before a stage counts as proved (LOOM_VALIDATION_STRICTNESS). `strict`: what would only be
 * warned or asked about is a failure. `lenient`: a gate of the project that fails is only warned about; what the plan asks of
 * the stage itself still counts.
 */
export const STRICTNESSES = ["strict", "normal", "lenient"] as const;
export type Strictness = (typeof STRICTNESSES)[number];
