import type { Person } from "../../core/command/delivery.ts";
import type { Role } from "../../core/command/role.ts";

/** Who may do what in one repository on GitHub. */
export interface People {
  /**
   * What this person may do here now: nothing, when the login is somebody else's by now (T46). Throws when GitHub can't
   * say: nobody is let in on a guess (T1).
   */
  roleOf(person: Person): Promise<Role>;
}
