export * from "./task";
export type { Clock } from "./clock"; // ⟦ ref Clock import ⟧
export { FixedClock, SystemClock as WallClock } from "./clock"; // ⟦ ref FixedClock import ; ref SystemClock import ⟧
