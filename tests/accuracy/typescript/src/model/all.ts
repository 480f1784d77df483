import * as badges from "./badge";

export { badges };
