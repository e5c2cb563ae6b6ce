import type { Login, Repository, Role } from "../model/types.ts";
import type { World } from "../model/world.ts";
import type { Html } from "./html.ts";

/** One request of a person, seen through the eyes of the account they view as. */
export type Visit = {
  readonly world: World;
  readonly url: URL;
  readonly viewer: Login;
  /** What a form sent; empty for a page. */
  readonly form: URLSearchParams;
};

export type RepositoryVisit = Visit & {
  readonly repository: Repository;
  readonly role: Role;
  /** Address of the repository, such as /ada/shop. */
  readonly home: string;
};

export type Answer =
  | { readonly kind: "page"; readonly status?: number; readonly title: string; readonly body: Html }
  | { readonly kind: "go"; readonly to: string; readonly viewer?: Login }
  | { readonly kind: "file"; readonly type: string; readonly bytes: Uint8Array };

export function page(title: string, body: Html, status = 200): Answer {
  return { kind: "page", title, body, status };
}

export function go(to: string): Answer {
  return { kind: "go", to };
}
