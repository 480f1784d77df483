export * from "./parse.js";
export { format, bold as strong, default as banner } from "./format.js"; // ⟦ ref format.format import ; ref bold import ; ref banner import ⟧
