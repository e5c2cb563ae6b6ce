import type { RepositoryRef } from "../core/command/delivery.ts";
import type { Timestamp } from "../core/ids.ts";

/** GitHub as the App itself sees it, beyond any one repository. */
export interface AppClient {
  readonly app: { readonly id: number; readonly slug: string; readonly botLogin: string };
  /** Where the App is installed and may work now; suspended installations are left out. */
  places(): Promise<readonly RepositoryRef[]>;
  /** Deliveries since then that nobody answered with success, oldest first. */
  failedDeliveries(since: Timestamp): Promise<readonly { readonly id: string; readonly guid: string }[]>;
  redeliver(id: string): Promise<void>;
}
