import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

export function createLabel(
  world: World,
  repository: Repository,
  options: {
    readonly by: Login;
    readonly name: string;
    readonly color?: string;
    readonly description?: string | null;
  },
): string {
  if (knownLabel(repository, options.name)) {
    throw new Refusal(422, "Validation Failed", [
      { resource: "Label", field: "name", code: "already_exists" },
    ]);
  }
  if (options.name.trim() === "" || [...options.name].length > 50) {
    throw new Refusal(422, "Validation Failed", [{ resource: "Label", field: "name", code: "invalid" }]);
  }
  const color = options.color ?? "ededed";
  if (!/^[0-9a-f]{6}$/i.test(color)) {
    throw new Refusal(422, "Validation Failed", [{ resource: "Label", field: "color", code: "invalid" }]);
  }
  repository.labels.set(options.name, { id: nextId(world), color, description: options.description ?? null });
  tell(world, "label", "created", { repository, sender: options.by }, { label: options.name });
  return options.name;
}

/** The label's own spelling of a name, which is compared without case; null when there is none. */
export function knownLabel(repository: Repository, name: string): string | null {
  const wanted = name.toLowerCase();
  return [...repository.labels.keys()].find((label) => label.toLowerCase() === wanted) ?? null;
}
