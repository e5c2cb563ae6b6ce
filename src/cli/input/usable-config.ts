import type { ReadRepositoryConfig } from "../../core/config/repository/read-repository-config.ts";
import type { RepositoryConfig } from "../../core/config/repository/repository-config.ts";
import { UserError } from "../../core/errors.ts";
import { configTexts } from "../../core/report/texts/config-texts.ts";

/** A file that can't be understood must not mean less protection than was asked for in it. */
export function usableConfig({ config, problems }: ReadRepositoryConfig): RepositoryConfig {
  if (config) return config;
  throw new UserError(configTexts.broken(problems), { next: configTexts.brokenNext(), exitCode: 2 });
}
