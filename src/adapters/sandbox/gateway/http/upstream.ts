import { UserError } from "../../../../core/errors.ts";

/** Where the model is, taken apart once. */
export type Upstream = {
  readonly isSecure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** As the Host header and people name it. */
  readonly host: string;
  /** What is asked for there when the sandbox asks for `rest`, which begins with `/` or `?` or is empty; null: it leads out. */
  pathOf(rest: string): string | null;
};

export function readUpstream(text: string): Upstream {
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address === null || !["http:", "https:"].includes(address.protocol)) {
    throw new UserError("The address of the model is not one of http or https.", {
      next: "Write it as https://api.example.org.",
    });
  }
  if (address.username !== "" || address.password !== "") {
    throw new UserError("The address of the model holds a user or a password.", {
      next: "Take them out of the address; the key has a place of its own.",
    });
  }
  const isSecure = address.protocol === "https:";
  const folder = address.pathname.replace(/(?<!\/)\/+$/, "");
  return {
    isSecure,
    hostname: address.hostname.replace(/^\[|\]$/g, ""),
    port: address.port === "" ? (isSecure ? 443 : 80) : Number(address.port),
    host: address.host,
    pathOf(rest) {
      const [path = "", ...queries] = rest.split("?");
      if (path.split(/[/\\]|%2f|%5c/i).some((segment) => /^(?:\.|%2e){2}$/i.test(segment))) return null;
      const query = [address.search.slice(1), queries.join("?")].filter((one) => one !== "").join("&");
      return `${folder}${path === "" && folder === "" ? "/" : path}${query === "" ? "" : `?${query}`}`;
    },
  };
}
